import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Answer } from '#api/contract/operation.ts';
import { readRobustness, testRobustness } from '#api/contract/research.ts';
import { call } from '#web/data/call.ts';
import type { Profile } from '#web/data/queries.ts';
import { fullConfigOf, resultsOf, type RunPage } from '#web/data/research.ts';
import { type Labels, useLabels } from '#web/config/setting-labels.ts';
import { percent } from '#web/ui/numbers.ts';
import { share } from '#web/ui/research.ts';
import { Result } from '#web/ui/figures.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { Failure, Say } from '#web/ui/say.tsx';
import { Section } from '#web/ui/section.tsx';
import { When } from '#web/ui/when.tsx';

type Examined = Answer<typeof readRobustness>['coins'][string];

/** How much of a result is luck; asked for by the operator, as it takes a while. */
export function Robustness({ profile, run, symbol }: { profile: Profile; run: RunPage; symbol: string }): ReactNode {
  const labels = useLabels(profile.strategyName, fullConfigOf(run));
  const client = useQueryClient();
  const params = { id: profile.id, runId: run.id };
  const queryKey = ['robustness', profile.id, run.id];
  const { data, error } = useQuery({
    queryKey,
    queryFn: ({ signal }) => call(readRobustness, { params }, signal),
    refetchInterval: ({ state }) => (state.data?.state === 'queued' ? 1_000 : false),
  });
  const test = useMutation({
    mutationFn: () => call(testRobustness, { params }),
    onSuccess: () => client.invalidateQueries({ queryKey }),
  });
  const coin = data?.coins[symbol];
  const made = resultsOf(run).find((one) => one.symbol === symbol)?.metrics.totalReturn ?? 0;
  const failed = error ?? test.error;
  return (
    <Section title="How much of it is luck" note="robustness: the same run, made a little different">
      {failed === null ? null : <Failure what="This could not be examined." error={failed} />}
      {data?.state === 'queued' ? (
        <p role="status" className="p-2">
          Being examined: other orders of the same trades, small changes of every setting, a look for foresight.
        </p>
      ) : null}
      {data?.state === 'failed' ? (
        <Say tone="care" title="The examination failed.">
          {data.error}
        </Say>
      ) : null}
      {coin === undefined ? null : <Findings coin={coin} {...labels} made={made} />}
      {data === undefined || data.state === 'queued' || coin !== undefined ? null : (
        <div className="actions">
          <button type="button" className="btn" disabled={test.isPending} onClick={() => test.mutate()}>
            Examine it
          </button>
          <span className="note">Takes about as long as the backtest, some dozens of times.</span>
        </div>
      )}
    </Section>
  );
}

interface FindingsProps extends Labels {
  coin: Examined;
  /** Return of the run itself. */
  made: number;
}

function Findings({ coin, made, ...labels }: FindingsProps): ReactNode {
  const { monteCarlo, variants, refused, foresight, comparedDecisions } = coin;
  return (
    <>
      <div className="cols">
        <div className="c6">
          <h3 className="px-2">The same trades in another order (Monte Carlo)</h3>
          <Orders monteCarlo={monteCarlo} />
          {foresight === null ? (
            <Compared decisions={comparedDecisions} />
          ) : (
            <Say tone="loss" title="It knew the future.">
              At <When at={foresight.at} /> it decided {foresight.decided}; without the later candles{' '}
              {foresight.withoutFuture}. Do not believe these numbers.
            </Say>
          )}
        </div>
        <div className="c6">
          <h3 className="px-2">A little different (fragility)</h3>
          <Variants variants={variants} made={made} {...labels} />
          {refused.length === 0 ? null : (
            <p className="note p-2">
              Not legal, so not run:{' '}
              {refused.map(({ change, reason }) => `${changeWords(change, labels)} (${reason})`).join('; ')}.
            </p>
          )}
        </div>
      </div>
    </>
  );
}

/** What the look-ahead check compared. */
function Compared({ decisions }: { decisions: number | null }): ReactNode {
  if (decisions === null) return <p className="p-2">Look-ahead was not checked decision by decision.</p>;
  return (
    <p className="p-2">
      <Icon name="ok" /> {decisions.toLocaleString('en-US')} decisions were compared with the later candles hidden. None
      changed.
    </p>
  );
}

function Orders({ monteCarlo }: Pick<Examined, 'monteCarlo'>): ReactNode {
  if (monteCarlo === null) return <p className="p-2">There were too few round trips to be shuffled.</p>;
  const { resampled, shuffled } = monteCarlo;
  return (
    <dl className="dl">
      <dt>Drawn anew, it would have made</dt>
      <dd>
        {share(resampled.totalReturn.p5)} to {share(resampled.totalReturn.p95)}
        <span className="note block">nine of ten draws; the middle {share(resampled.totalReturn.p50)}</span>
      </dd>
      <dt>Draws that lost money</dt>
      <dd>{percent(resampled.lossShare, 0)}</dd>
      <dt>Deepest fall with bad luck</dt>
      <dd>
        {percent(-Math.abs(shuffled.drawdown.p95))}
        <span className="note block">one shuffle in twenty is worse</span>
      </dd>
    </dl>
  );
}

/** A smaller difference of the return is none. */
const SAME = 0.001;

/** A change such as `buy.candleLimit 60 to 54` in words. */
function changeWords(change: string, { labelOf, wordsOf }: Labels): string {
  const [, path = '', from = '', to = ''] = /^(\S+\.\S+) (\S+) to (\S+)$/.exec(change) ?? [];
  return path === '' ? change : `${labelOf(path)}: ${wordsOf(path, from)} → ${wordsOf(path, to)}`;
}

function Variants({ variants, made, ...labels }: Omit<FindingsProps, 'coin'> & Pick<Examined, 'variants'>): ReactNode {
  const moved = variants
    .filter(({ totalReturn }) => Math.abs(totalReturn - made) >= SAME)
    .toSorted((a, b) => a.totalReturn - b.totalReturn);
  const still = variants.length - moved.length;
  if (variants.length === 0)
    return <p className="p-2">Changed settings are tried on runs of one coin without limits.</p>;
  return (
    <>
      {moved.length === 0 ? null : (
        <div className="tw">
          <table>
            <thead>
              <tr>
                <th>What was changed</th>
                <th className="num">Made</th>
                <th className="num">Deepest fall</th>
              </tr>
            </thead>
            <tbody>
              {moved.map(({ change, totalReturn, drawdown }) => (
                <tr key={change}>
                  <td>{changeWords(change, labels)}</td>
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
        {still} of {variants.length} small changes made no difference. The more the others move the result, the more it
        hangs on exactly these settings.
      </p>
    </>
  );
}
