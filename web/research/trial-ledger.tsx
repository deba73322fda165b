import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { readTrials } from '#api/contract/research.ts';
import { call } from '#web/data/call.ts';
import { Failure } from '#web/ui/notice.tsx';
import { Section } from '#web/ui/section.tsx';
import { When } from '#web/ui/when.tsx';

/** Number of settings tried with a strategy, by coin; it cannot be cleared. */
export function TrialLedger({ strategyName }: { strategyName: string }): ReactNode {
  const { data, error } = useQuery({
    queryKey: ['trials'],
    queryFn: ({ signal }) => call(readTrials, {}, signal),
  });
  const questions = data?.questions.filter((question) => question.strategyName === strategyName) ?? [];
  return (
    <Section title="Tried so far" note="cannot be cleared">
      {error === null ? null : <Failure what="Could not load the trials." error={error} />}
      {data !== undefined && questions.length === 0 ? <p className="p-2">No settings tried yet.</p> : null}
      {questions.length === 0 ? null : (
        <table className="cards">
          <thead>
            <tr>
              <th>Coin</th>
              <th className="num">Settings tried</th>
              <th className="num">Sweeps</th>
              <th>Last</th>
            </tr>
          </thead>
          <tbody>
            {questions.map(({ symbol, trials, sweeps, lastAt }) => (
              <tr key={symbol}>
                <td>{symbol}</td>
                <td className="num rt" data-l="Settings tried">
                  {trials.toLocaleString('en-US')}
                </td>
                <td className="num" data-l="Sweeps">
                  {sweeps}
                </td>
                <td className="rt" data-l="Last">
                  <When at={lastAt} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Section>
  );
}
