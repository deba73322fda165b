import { type KeyboardEvent, type PointerEvent, type ReactNode, useMemo, useState } from 'react';
import type { ProfileId } from '#core/ids.ts';
import { listLogs } from '#api/contract/records.ts';
import { useZone } from '#web/data/session.tsx';
import { decisionsOf } from '#web/data/coin-reads.ts';
import { useRead } from '#web/data/read.ts';
import type { ChartRange } from '#web/chart/chart-view.ts';
import { full } from '#web/ui/time.ts';
import { type Moment, nextChange, rangesOf, timelineOf } from './timeline-rows.ts';
import { valueText, wordsOf } from '#web/ui/names.ts';
import { Icon } from '#web/ui/icon.tsx';
import { Section } from '#web/ui/section.tsx';
import { Prose } from '#web/ui/when.tsx';
import { Read } from '#web/ui/read.tsx';
import { whole } from '#web/ui/numbers.ts';

const POLL_MS = 15_000;

interface TimelineProps {
  profileId: ProfileId;
  symbol: string;
  /** The visible range of the chart above: both share one time axis. */
  range: ChartRange | undefined;
  /** Receives the time of a decision that the operator chose. */
  onMoment?: (atMs: number) => void;
}

/** Every decision about a coin on the time axis of its chart; the chosen one is shown in full below. */
export function Timeline({ profileId, symbol, range, onMoment }: TimelineProps): ReactNode {
  const newest = useRead(listLogs, decisionsOf(profileId, symbol), { every: POLL_MS });
  const moments = useMemo(() => timelineOf(newest.data?.rows ?? []), [newest.data]);
  const [chosen, setChosen] = useState<string | undefined>(undefined);
  const found = moments.findIndex(({ id }) => id === chosen);
  const index = found === -1 ? moments.length - 1 : found;
  const here = moments[index];
  const choose = (i: number): void => {
    const moment = moments[i];
    if (moment === undefined) return;
    setChosen(moment.id);
    onMoment?.(moment.toMs);
  };
  const total = moments.reduce((sum, { count }) => sum + count, 0);
  return (
    <Section title="Decisions" note={`the last ${whole(total)}, on the time axis of the chart`}>
      <TimelineKey />
      <Read of={newest} what="the decisions" rows={2}>
        {() =>
          here === undefined ? (
            <p className="p-2">No decisions yet. The first one appears within seconds while the profile is running.</p>
          ) : (
            <>
              <Scrubber moments={moments} index={index} range={range} onChoose={choose} />
              <Chosen moment={here} />
            </>
          )
        }
      </Read>
    </Section>
  );
}

function TimelineKey(): ReactNode {
  return (
    <div className="key">
      <span>
        <i className="box wait" /> waiting
      </span>
      <span>
        <i className="box hold" /> holding
      </span>
      <span>
        <i className="box blocked" /> blocked
      </span>
      <span>
        <Icon name="up" /> bought
      </span>
      <span>
        <Icon name="dno" /> sold
      </span>
      <span className="intent wide">
        <Icon name="dia" /> arrow keys step, Shift jumps to the next change
      </span>
    </div>
  );
}

interface ScrubberProps {
  moments: readonly Moment[];
  index: number;
  range: ChartRange | undefined;
  onChoose: (index: number) => void;
}

function Scrubber({ moments, index, range, onChoose }: ScrubberProps): ReactNode {
  const zone = useZone();
  const fromMs = range?.fromMs ?? moments[0]?.fromMs ?? 0;
  const toMs = range?.toMs ?? moments.at(-1)?.toMs ?? 1;
  const share = (ms: number): number => ((ms - fromMs) / Math.max(1, toMs - fromMs)) * 100;
  const clipped = (ms: number): number => Math.min(100, Math.max(0, share(ms)));
  const here = moments[index];
  if (here === undefined) return null;
  const at = clipped(here.toMs);
  const keys: Readonly<Record<string, number>> = { Home: 0, End: moments.length - 1 };
  const press = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : undefined;
    const to = step === undefined ? keys[event.key] : event.shiftKey ? nextChange(moments, index, step) : index + step;
    if (to === undefined) return;
    event.preventDefault();
    onChoose(Math.min(moments.length - 1, Math.max(0, to)));
  };
  const point = (event: PointerEvent<HTMLElement>): void => {
    const box = event.currentTarget.getBoundingClientRect();
    const ms = fromMs + ((event.clientX - box.left) / box.width) * (toMs - fromMs);
    const after = moments.findLastIndex((moment) => moment.fromMs <= ms);
    onChoose(Math.max(0, after));
  };
  return (
    <div
      className="scrub"
      style={{ marginRight: range?.rightPx ?? 0 }}
      role="slider"
      tabIndex={0}
      aria-label="Decision timeline"
      aria-valuemin={0}
      aria-valuemax={moments.length - 1}
      aria-valuenow={index}
      aria-valuetext={`${full(here.fromMs, zone)}: ${here.sentence}`}
      onKeyDown={press}
      onPointerDown={point}
    >
      {rangesOf(moments).map(({ kind, ...stretch }) => {
        const [left, right] = [clipped(stretch.fromMs), clipped(stretch.toMs)];
        const style = { left: `${left}%`, width: `${right - left}%` };
        return right > left ? <span key={stretch.fromMs} className={`bk ${kind}`} style={style} /> : null;
      })}
      {moments.map(({ id, kind, mark, fromMs: ms }) =>
        kind === 'event' && mark !== 'dot' && mark !== 'flag' && share(ms) >= 0 && share(ms) <= 100 ? (
          <span key={id} className="ev" style={{ left: `${share(ms)}%` }}>
            <Icon name={mark} />
          </span>
        ) : null,
      )}
      <span className="cur" style={{ left: `${at}%` }} />
      <span className={at > 50 ? 'ct l' : 'ct'} style={{ left: `${at}%` }}>
        {full(here.toMs, zone)}
      </span>
    </div>
  );
}

function Chosen({ moment: { sentence, count, numbers } }: { moment: Moment }): ReactNode {
  return (
    <>
      <div className="say next my-2">
        <Prose text={sentence} />
        {count > 1 ? <span className="two nb"> ×{whole(count)}</span> : null}
      </div>
      <dl className="dl two-up">
        {numbers.map(([name, value]) => (
          <div key={name}>
            <dt>{wordsOf(name)}</dt>
            <dd>
              <Prose text={valueText(name, value)} />
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}
