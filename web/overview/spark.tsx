import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { ProfileId } from '#core/ids.ts';
import { readCoinDay } from '#api/contract/overview.ts';
import { useRead } from '#web/data/read.ts';
import { Icon } from '#web/ui/icon.tsx';
import { signedPercent } from '#web/ui/numbers.ts';

interface DayProps {
  profileId: ProfileId;
  symbol: string;
}

/** Rows this close to the window are fetched before they come into view. */
const NEAR = '800px';

const POLL_MS = 60_000;

const useDay = ({ profileId, symbol }: DayProps, enabled: boolean) =>
  useRead(readCoinDay, { params: { id: profileId, symbol } }, { every: POLL_MS, enabled });

/** The change of the price over the last 24 hours; the day is fetched once this is in view. */
export function DayChange(props: DayProps): ReactNode {
  const place = useRef<HTMLSpanElement>(null);
  const [seen, setSeen] = useState(false);
  useEffect(() => {
    if (place.current === null) return undefined;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting !== true) return;
        setSeen(true);
        observer.disconnect();
      },
      { rootMargin: NEAR },
    );
    observer.observe(place.current);
    return () => observer.disconnect();
  }, []);
  const { data } = useDay(props, seen);
  const change = data?.change ?? null;
  return (
    <span ref={place} className="note">
      {change === null ? '\u00a0' : <Change change={change} />}
    </span>
  );
}

function Change({ change }: { change: number }): ReactNode {
  const text = signedPercent(change);
  const none = !/[1-9]/.test(text);
  return (
    <>
      <span className={none ? 'nb' : `${change > 0 ? 'gain' : 'loss'} nb`}>
        {none ? null : <Icon name={change > 0 ? 'up' : 'dn'} />} {text}
      </span>{' '}
      24 h
    </>
  );
}

const [WIDTH, HEIGHT] = [96, 24];

/** The course of the price over the last 24 hours, once {@link DayChange} has fetched it. */
export function Spark(props: DayProps): ReactNode {
  const { data } = useDay(props, false);
  return (
    <span className="spark">
      {data === undefined || data.closes.length < 2 ? null : (
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
          <path d={pathOf(data.closes)} />
        </svg>
      )}
    </span>
  );
}

function pathOf(closes: readonly number[]): string {
  const [low, high] = [Math.min(...closes), Math.max(...closes)];
  const span = high - low || 1;
  return closes
    .map((close, i) => {
      const x = 1 + (i / (closes.length - 1)) * (WIDTH - 2);
      const y = 2 + (1 - (close - low) / span) * (HEIGHT - 4);
      return `${i === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`;
    })
    .join('');
}
