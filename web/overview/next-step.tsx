import type { ReactNode } from 'react';
import type { Blocker } from '#web/data/blockers.ts';
import { useIsStale } from '#web/data/live.tsx';
import type { Coin } from '#web/data/answers.ts';
import { coinView, distanceText } from '#web/coin/coin-view.ts';
import { price } from '#web/ui/numbers.ts';
import { BlockerSentence } from '#web/coin/blocker-sentence.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { Prose } from '#web/ui/when.tsx';

interface NextStepProps {
  coin: Coin;
  /** The profile is running. */
  running: boolean;
  /** The most important blocker of the coin. */
  blocker: Blocker | null;
}

/** Blockers under which no buy is planned, with their words here. */
const STOPPED: Partial<Record<Blocker['kind'], string>> = {
  'buying-stopped': 'Buying is stopped',
  'exchange-reset': 'Buying is stopped until the reset is confirmed',
};

/** The next action of a coin and what blocks it, else the sentence of its last decision; the last known ones of old values. */
export function NextAction({ coin, running, blocker }: NextStepProps): ReactNode {
  const isStale = useIsStale();
  const { next, blocked, held } = coinView(coin);
  const isOld = isStale || blocker?.kind === 'worker-down';
  if (!running) {
    return (
      <>
        <Icon name="minus" /> Profile is paused
      </>
    );
  }
  const stopped = blocker === null ? undefined : STOPPED[blocker.kind];
  const sentence = coin.state?.decision.sentence;
  return (
    <>
      {next === null || (stopped !== undefined && !held) ? (
        <>
          <Icon name="minus" /> {isOld ? 'Last known: ' : null}
          {coin.state === null ? 'Waiting for the first decision' : held ? 'No exit planned' : 'No buy planned'}
        </>
      ) : (
        <>
          <span className="intent">
            <Icon name="flag" />
          </span>{' '}
          {isOld ? `Last known: ${lowerFirst(next.verb)}` : next.verb} at <b>{price(next.level, coin.tickSize)}</b> or{' '}
          {next.side}
          <span className="two nb">{distanceText(next)}</span>
        </>
      )}
      {blocker !== null ? (
        <span className="note care">
          <Icon name={stopped === undefined ? 'warn' : 'oct'} /> {stopped ?? <Reason blocker={blocker} />}
        </span>
      ) : sentence === undefined ? null : (
        <span className={blocked ? 'note care' : 'note'}>
          {blocked ? <Icon name="warn" /> : null} <Prose text={sentence} />
        </span>
      )}
    </>
  );
}

/** A blocker of the coin itself needs no name in its row. */
function Reason({ blocker }: { blocker: Blocker }): ReactNode {
  const { scope, name, sentence } = blocker;
  const shown = scope === 'coin' ? { ...blocker, sentence: upperFirst(sentence) } : blocker;
  return (
    <>
      {scope === 'coin' || name === null ? null : `${name} `}
      <BlockerSentence blocker={shown} />
    </>
  );
}

const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
