import type { ReactNode } from 'react';
import type { Answer } from '#api/contract/operation.ts';
import { readRobustness, testRobustness } from '#api/contract/research.ts';
import type { Profile } from '#web/data/answers.ts';
import { fullConfigOf, type RunPage, untilDone } from '#web/data/research.ts';
import { useAct, useRead } from '#web/data/read.ts';
import { type Labels, useLabels } from '#web/config/setting-labels.ts';
import { percent, signedPercent, whole } from '#web/ui/numbers.ts';

import { Result } from '#web/ui/figures.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { Failure, Notice } from '#web/ui/notice.tsx';
import { Section } from '#web/ui/section.tsx';
import { When } from '#web/ui/when.tsx';
import { Read } from '#web/ui/read.tsx';

type Report = Answer<typeof readRobustness>['coins'][string];

/** Robustness tests of a result; started by the operator because they take a while. */
export function Robustness({ profile, run, symbol }: { profile: Profile; run: RunPage; symbol: string }): ReactNode {
  const labels = useLabels(profile.strategyName, fullConfigOf(run));
  const params = { id: profile.id, runId: run.id };
  const tests = useRead(readRobustness, { params }, { every: untilDone });
  const start = useAct(testRobustness);
  const made = run.results[symbol]?.metrics.totalReturn ?? 0;
  return (
    <Section title="Robustness tests" note="the same run with small changes">
      <Failure what="Not started." error={start.error} />
      <Read of={tests} what="the robustness tests" rows={1}>
        {({ state, error, coins: { [symbol]: coin } }) => (
          <>
            {state === 'queued' ? (
              <p role="status" className="p-2">
                Running: shuffled trades, small changes of every setting, look-ahead check.
              </p>
            ) : null}
            {state === 'failed' ? (
              <Notice tone="care" title="The robustness tests failed.">
                {error}
              </Notice>
            ) : null}
            {coin === undefined ? null : <Findings coin={coin} {...labels} made={made} />}
            {state === 'queued' || coin !== undefined ? null : (
              <div className="actions">
                <button
                  type="button"
                  className="btn"
                  disabled={start.isPending}
                  onClick={() => start.mutate({ params })}
                >
                  Run robustness tests
                </button>
                <span className="note">Takes some dozens of times as long as the backtest.</span>
              </div>
            )}
          </>
        )}
      </Read>
    </Section>
  );
}

interface FindingsProps extends Labels {
  coin: Report;
  /** Return of the run itself. */
  made: number;
}

function Findings({ coin, made, ...labels }: FindingsProps): ReactNode {
  const { monteCarlo, variants, refused, foresight, comparedDecisions } = coin;
  return (
    <>
      <div className="cols">
        <div className="c6">
          <h3 className="px-2">Shuffled trades (Monte Carlo)</h3>
          <Orders monteCarlo={monteCarlo} />
          {foresight === null ? (
            <Compared decisions={comparedDecisions} />
          ) : (
            <Notice tone="loss" title="Look-ahead found.">
              At <When at={foresight.at} /> it decided {foresight.decided}; without the later candles{' '}
              {foresight.withoutFuture}. Do not trust these metrics.
            </Notice>
          )}
        </div>
        <div className="c6">
          <h3 className="px-2">Small changes</h3>
          <Variants variants={variants} made={made} {...labels} />
          {refused.length === 0 ? null : (
            <p className="note p-2">
              Invalid, not run:{' '}
              {refused.map(({ change, reason }) => `${changeText(change, labels)} (${reason})`).join('; ')}.
            </p>
          )}
        </div>
      </div>
    </>
  );
}

/** The result of the look-ahead check. */
function Compared({ decisions }: { decisions: number | null }): ReactNode {
  if (decisions === null) return <p className="p-2">Look-ahead was not checked decision by decision.</p>;
  return (
    <p className="p-2">
      <Icon name="ok" /> {whole(decisions)} decisions were compared with the later candles hidden. None changed.
    </p>
  );
}

function Orders({ monteCarlo }: Pick<Report, 'monteCarlo'>): ReactNode {
  if (monteCarlo === null) return <p className="p-2">Too few trades to shuffle.</p>;
  const { resampled, shuffled } = monteCarlo;
  return (
    <dl className="dl">
      <dt>Return of the shuffles</dt>
      <dd>
        {signedPercent(resampled.totalReturn.p5, 1)} to {signedPercent(resampled.totalReturn.p95, 1)}
        <span className="note block">90 % of the shuffles; median {signedPercent(resampled.totalReturn.p50, 1)}</span>
      </dd>
      <dt>Losing shuffles</dt>
      <dd>{percent(resampled.lossShare, 0)}</dd>
      <dt>95 % max drawdown</dt>
      <dd>
        {percent(-Math.abs(shuffled.drawdown.p95))}
        <span className="note block">1 of 20 shuffles is worse</span>
      </dd>
    </dl>
  );
}

/** Smaller differences of the return count as none. */
const SAME = 0.001;

/** A change such as `buy.candleLimit 60 to 54` with its label. */
function changeText(change: string, { labelOf, wordsOf }: Labels): string {
  const [, path = '', from = '', to = ''] = /^(\S+\.\S+) (\S+) to (\S+)$/.exec(change) ?? [];
  return path === '' ? change : `${labelOf(path)}: ${wordsOf(path, from)} → ${wordsOf(path, to)}`;
}

function Variants({ variants, made, ...labels }: Omit<FindingsProps, 'coin'> & Pick<Report, 'variants'>): ReactNode {
  const moved = variants
    .filter(({ totalReturn }) => Math.abs(totalReturn - made) >= SAME)
    .toSorted((a, b) => a.totalReturn - b.totalReturn);
  const still = variants.length - moved.length;
  if (variants.length === 0) return <p className="p-2">Small changes are run only for one coin without limits.</p>;
  return (
    <>
      {moved.length === 0 ? null : (
        <div className="tw">
          <table>
            <thead>
              <tr>
                <th>Change</th>
                <th className="num">Return</th>
                <th className="num">Max drawdown</th>
              </tr>
            </thead>
            <tbody>
              {moved.map(({ change, totalReturn, drawdown }) => (
                <tr key={change}>
                  <td>{changeText(change, labels)}</td>
                  <td className="num">
                    <Result value={totalReturn} />
                  </td>
                  <td className="num">{percent(-Math.abs(drawdown))}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <p className="note p-2">
        {still} of {variants.length} small changes made no difference. The more the others change the result, the more
        it depends on exactly these settings.
      </p>
    </>
  );
}
