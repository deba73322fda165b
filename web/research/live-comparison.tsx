import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ProfileId } from '#core/ids.ts';
import type { ComparedCoin, LiveComparison as Comparison } from '#core/research/live-comparison.ts';
import { readLiveComparison, startLiveComparison } from '#api/contract/live-checks.ts';
import { listCoins } from '#api/contract/profiles.ts';
import type { Profile } from '#web/data/answers.ts';
import { useAct, useRead } from '#web/data/read.ts';
import { Icon } from '#web/ui/icon.tsx';
import { count, MINUS, percent, price, quantity, whole } from '#web/ui/numbers.ts';
import { reasonText } from '#web/ui/research.ts';
import { Failure, Notice } from '#web/ui/notice.tsx';
import { Section } from '#web/ui/section.tsx';
import { Prose, When } from '#web/ui/when.tsx';
import { Read } from '#web/ui/read.tsx';

const MEASURES = {
  'win-rate': 'Win rate: share of winning trades',
  'profit-factor': 'Profit factor: gross profit per gross loss',
  slippage: 'Slippage: fill price against decision price',
} as const;

const VERDICTS = {
  undecided: { words: 'too early to say', mark: 'ring' },
  'as-tested': { words: 'as tested', mark: 'ok' },
  worse: { words: 'worse than tested', mark: 'x' },
} as const;

const IDLE_MS = 60_000;
const BUSY_MS = 1_000;

/** Live results compared with the reference backtest, and the last day compared with a replay of it. */
export function LiveComparison({ profile: { id } }: { profile: Profile }): ReactNode {
  const comparison = useRead(
    readLiveComparison,
    { params: { id } },
    { every: (data) => ((data?.requestedAt ?? null) === null ? IDLE_MS : BUSY_MS) },
  );
  const start = useAct(startLiveComparison);
  const { data: held } = useRead(listCoins, { params: { id } });
  return (
    <Section title="Live vs. tested" note="checked nightly">
      <Failure what="Not started." error={start.error} />
      <Read of={comparison} what="the comparison" rows={8}>
        {(data) => (
          <>
            {data.error === null ? null : (
              <Notice tone="care" title="The newest comparison failed.">
                {data.error}
              </Notice>
            )}
            <div className="actions">
              <button
                type="button"
                className="btn"
                disabled={start.isPending || data.requestedAt !== null}
                onClick={() => start.mutate({ params: { id } })}
              >
                {data.requestedAt === null ? 'Compare now' : 'Comparing…'}
              </button>
            </div>
            <Reference id={id} runId={data.pinnedRunId} reference={data.reference} />
            {data.day === null ? (
              <p className="note p-2">No day is compared yet.</p>
            ) : (
              <>
                <p className="two p-2">
                  Live decisions and fills from <When at={data.day.from} /> to <When at={data.day.to} />, compared with
                  a replay of <When at={data.day.at} />.
                </p>
                {data.day.coins.map((coin) => (
                  <OneCoin
                    key={coin.symbol}
                    coin={coin}
                    steps={held?.coins.find(({ symbol }) => symbol === coin.symbol)}
                  />
                ))}
              </>
            )}
          </>
        )}
      </Read>
    </Section>
  );
}

interface ReferenceProps {
  id: ProfileId;
  runId: string | null;
  reference: Comparison['reference'];
}

/** The tests against the reference backtest. */
function Reference({ id, runId, reference }: ReferenceProps): ReactNode {
  if (runId === null) {
    return (
      <p className="p-2">
        No reference backtest. Open a{' '}
        <Link to="/profiles/$id/backtests" params={{ id }}>
          backtest
        </Link>{' '}
        of the settings that you trade and use it as reference. Live trading is then compared with it.
      </p>
    );
  }
  const link = (
    <Link to="/profiles/$id/backtests/$runId" params={{ id, runId }}>
      reference backtest
    </Link>
  );
  if (reference === null) return <p className="p-2">Not compared with the {link} yet.</p>;
  const { at, since, verdict, tests } = reference;
  return (
    <>
      {verdict === 'worse' ? (
        <Notice tone="care" title="Worse than tested.">
          The difference is larger than chance.
        </Notice>
      ) : null}
      <p className="two p-2">
        Live results since <When at={since} />, compared with the {link}; checked <When at={at} />.
      </p>
      <ul className="block">
        {tests.map(({ measure, sentence, verdict: own }) => (
          <li key={measure}>
            <span className={own === 'worse' ? 'care' : ''}>
              <Icon name={VERDICTS[own].mark} />
            </span>
            <div>
              {MEASURES[measure]}: <b>{VERDICTS[own].words}</b>
              <span className="note block">
                <Prose text={sentence} />
              </span>
            </div>
          </li>
        ))}
      </ul>
    </>
  );
}

interface Steps {
  readonly tickSize: string | null;
  readonly stepSize: string | null;
}

function OneCoin({ coin, steps }: { coin: ComparedCoin; steps: Steps | undefined }): ReactNode {
  const { symbol, refused, compared, agreed, differing, fills } = coin;
  if (refused !== null) {
    return (
      <p className="p-2">
        <b>{symbol}</b> could not be replayed: {refused}
      </p>
    );
  }
  return (
    <div className="pb-4">
      <h3 className="px-2">{symbol}</h3>
      <p className="two px-2">
        {compared === 0
          ? 'No decisions to compare.'
          : `${whole(agreed)} of ${whole(compared)} decisions were the same (${percent(agreed / compared, 1)}).`}{' '}
        {fills.length === 0 ? 'No fills in either.' : 'Prices are compared in percent; below zero live was better.'}
      </p>
      {fills.length === 0 ? null : <Fills fills={fills} steps={steps} />}
      {differing.length === 0 ? null : (
        <details className="px-2">
          <summary>{count(differing.length, 'decision')} that differed</summary>
          <ul className="two list-disc pl-5">
            {differing.map(({ at, live, replayed, sentence }) => (
              <li key={at}>
                <When at={at} />: live {reasonText(live).toLowerCase()}, replayed {reasonText(replayed).toLowerCase()}.{' '}
                <span className="note">
                  <Prose text={sentence} />
                </span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

type Fill = ComparedCoin['fills'][number];

/** Hundredths of a percent as percent with three decimals. */
const percentOf = (bps: number | null): string =>
  bps === null ? '–' : Math.abs(bps) < 0.05 ? '0.000' : `${bps > 0 ? '+' : MINUS}${(Math.abs(bps) / 100).toFixed(3)}`;

function Side({ fill, steps }: { fill: Fill['live']; steps: Steps | undefined }): ReactNode {
  if (fill === null) return <span className="two">no fill</span>;
  return (
    <>
      {quantity(fill.quantity, steps?.stepSize ?? null)} at {price(fill.price, steps?.tickSize ?? null)}
      <span className="note">
        <When at={fill.at} />, {reasonText(fill.reason).toLowerCase()}
      </span>
    </>
  );
}

function Fills({ fills, steps }: { fills: readonly Fill[]; steps: Steps | undefined }): ReactNode {
  return (
    <table className="cards">
      <thead>
        <tr>
          <th>Fill</th>
          <th>Live</th>
          <th>Replayed</th>
          <th className="num">Live worse by, %</th>
        </tr>
      </thead>
      <tbody>
        {fills.map(({ side, live, replayed, bps, why }) => (
          <tr key={`${side} ${live?.at} ${replayed?.at}`}>
            <td className="full">
              {side === 'buy' ? 'Buy' : 'Sell'}
              {why === null ? null : <span className="note">{why}</span>}
            </td>
            <td data-l="Live">
              <Side fill={live} steps={steps} />
            </td>
            <td data-l="Replayed">
              <Side fill={replayed} steps={steps} />
            </td>
            <td className="num" data-l="Live worse by, %">
              {percentOf(bps)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
