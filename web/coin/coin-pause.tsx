import { useLocation } from '@tanstack/react-router';
import { type ReactNode, useId, useState } from 'react';
import type { ProfileId } from '#core/ids.ts';
import { pauseCoin, resumeCoin } from '#api/contract/risk.ts';
import type { Coin } from '#web/data/answers.ts';
import { useTimes } from '#web/data/session.tsx';
import { useAct } from '#web/data/read.ts';
import { Icon } from '#web/ui/icon.tsx';
import { Failure } from '#web/ui/notice.tsx';
import { Prose } from '#web/ui/when.tsx';

const HOUR_MS = 3_600_000;
const LENGTHS = { '1 hour': 1, '4 hours': 4, '1 day': 24, '1 week': 168 } as const;
type Length = keyof typeof LENGTHS;

/** Pauses buying of one coin for a chosen time, or resumes it. */
export function CoinPause({ profileId, coin }: { profileId: ProfileId; coin: Coin }): ReactNode {
  const id = useId();
  const { toMarket } = useTimes();
  const hash = useLocation({ select: (location) => location.hash });
  const [length, setLength] = useState<Length>('1 hour');
  const params = { id: profileId, symbol: coin.symbol };
  const pause = useAct(pauseCoin);
  const resume = useAct(resumeCoin);
  const start = (): void => {
    const until = new Date(Date.now() + LENGTHS[length] * HOUR_MS).toISOString();
    pause.mutate({ params, body: { until } });
  };
  return (
    <div className="actions">
      {coin.pause === null ? (
        <>
          <label htmlFor={id} className="two">
            Pause buying for
          </label>
          <select
            id={id}
            autoFocus={hash === 'pause'}
            value={length}
            onChange={(event) => setLength(asLength(event.target.value))}
          >
            {Object.keys(LENGTHS).map((words) => (
              <option key={words}>{words}</option>
            ))}
          </select>
          <button type="button" className="btn" disabled={pause.isPending} onClick={start}>
            Pause buying
          </button>
        </>
      ) : (
        <>
          <span className="care">
            <Icon name="warn" />{' '}
            <Prose
              text={`No buys until ${new Date(toMarket(Date.parse(coin.pause.until))).toISOString()}. ${coin.pause.reason}`}
            />
          </span>
          <button type="button" className="btn" disabled={resume.isPending} onClick={() => resume.mutate({ params })}>
            Resume buying
          </button>
        </>
      )}
      <Failure what="Not changed." error={coin.pause === null ? pause.error : resume.error} />
    </div>
  );
}

const isLength = (text: string): text is Length => text in LENGTHS;
const asLength = (text: string): Length => (isLength(text) ? text : '1 hour');
