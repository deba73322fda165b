import type { ReactNode } from 'react';
import { useIsStale } from '#web/data/live.tsx';
import type { Coin } from '#web/data/queries.ts';
import { coinView, distanceText } from '#web/coin/coin-view.ts';
import { price } from '#web/ui/numbers.ts';
import { Icon } from '#web/ui/icon.tsx';
import { Prose } from '#web/ui/when.tsx';

interface NextStepProps {
  coin: Coin;
  /** The profile is running. */
  running: boolean;
  /** The kill switch is engaged. */
  stopped: boolean;
}

/** The next action of a coin, and the sentence of its last decision; only the last known one of old values. */
export function NextAction({ coin, running, stopped }: NextStepProps): ReactNode {
  const isStale = useIsStale();
  const { next, blocked, held } = coinView(coin);
  if (!running || (stopped && !held)) {
    return (
      <>
        <Icon name="minus" /> {running ? 'Buying is stopped' : 'Profile is paused'}
      </>
    );
  }
  const sentence = coin.state?.decision.sentence;
  return (
    <>
      {next === null ? (
        <>
          <Icon name="minus" /> {isStale ? 'Last known: ' : null}
          {coin.state === null ? 'Waiting for the first decision' : held ? 'No exit planned' : 'No buy planned'}
        </>
      ) : (
        <>
          <span className="intent">
            <Icon name="flag" />
          </span>{' '}
          {isStale ? `Last known: ${lowerFirst(next.verb)}` : next.verb} at <b>{price(next.level, coin.tickSize)}</b> or{' '}
          {next.side}
          <span className="two nb">{distanceText(next)}</span>
        </>
      )}
      {sentence === undefined ? null : (
        <span className={blocked ? 'note care' : 'note'}>
          {blocked ? <Icon name="warn" /> : null} <Prose text={sentence} />
        </span>
      )}
    </>
  );
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
