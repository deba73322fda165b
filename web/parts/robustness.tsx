import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ProfileId } from '#core/ids.ts';
import type { Answer } from '#api/contract/operation.ts';
import { readRobustness, testRobustness } from '#api/contract/research.ts';
import { call } from '#web/data/call.ts';
import { percent } from '#web/words/numbers.ts';
import { share } from '#web/words/research.ts';
import { Result } from './figures.tsx';
import { Icon } from './icon.tsx';
import { Failure, Say } from './say.tsx';
import { Section } from './section.tsx';
import { When } from './when.tsx';

type Examined = Answer<typeof readRobustness>['coins'][string];

/** How much of a result is luck; asked for by the operator, as it takes a while. */
export function Robustness({
  profileId,
  runId,
  symbol,
}: {
  profileId: ProfileId;
  runId: string;
  symbol: string;
}): ReactNode {
  const client = useQueryClient();
  const params = { id: profileId, runId };
  const queryKey = ['robustness', profileId, runId];
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
      {coin === undefined ? null : <Findings coin={coin} />}
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

function Findings({ coin: { monteCarlo, variants, foresight } }: { coin: Examined }): ReactNode {
  return (
    <>
      <div className="cols">
        <div className="c6">
          <h3 className="px-2">The same trades in another order (Monte Carlo)</h3>
          {monteCarlo === null ? (
            <p className="p-2">There were too few round trips to be shuffled.</p>
          ) : (
            <dl className="dl">
              <dt>Drawn anew, it would have made</dt>
              <dd>
                {share(monteCarlo.resampled.totalReturn.p5)} to {share(monteCarlo.resampled.totalReturn.p95)}
                <span className="note block">
                  nine of ten draws; the middle {share(monteCarlo.resampled.totalReturn.p50)}
                </span>
              </dd>
              <dt>Draws that lost money</dt>
              <dd>{percent(monteCarlo.resampled.lossShare, 0)}</dd>
              <dt>Deepest fall with bad luck</dt>
              <dd>
                {percent(-Math.abs(monteCarlo.shuffled.drawdown.p95))}
                <span className="note block">one shuffle in twenty is worse</span>
              </dd>
            </dl>
          )}
        </div>
        <div className="c6">
          <h3 className="px-2">A little different (fragility)</h3>
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
                {variants.map(({ change, totalReturn, drawdown }) => (
                  <tr key={change}>
                    <td>{change}</td>
                    <td className="num">
                      <Result value={totalReturn} />
                    </td>
                    <td className="num">{percent(-Math.abs(drawdown))}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </div>
      </div>
      {foresight === null ? (
        <p className="p-2">
          <Icon name="ok" /> Asked again without the later candles it decided the same: nothing in it knew the future.
        </p>
      ) : (
        <Say tone="loss" title="It knew the future.">
          At <When at={foresight.at} /> it decided {foresight.decided}; without the later candles{' '}
          {foresight.withoutFuture}. Do not believe these numbers.
        </Say>
      )}
    </>
  );
}
