import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { readTrials } from '#api/contract/research.ts';
import { call } from '#web/data/call.ts';
import { Failure } from '#web/ui/say.tsx';
import { Section } from '#web/ui/section.tsx';
import { When } from '#web/ui/when.tsx';

/** How much was ever tried with a strategy, by coin; it cannot be cleared. */
export function TrialLedger({ strategyName }: { strategyName: string }): ReactNode {
  const { data, error } = useQuery({
    queryKey: ['trials'],
    queryFn: ({ signal }) => call(readTrials, {}, signal),
  });
  const questions = data?.questions.filter((one) => one.strategyName === strategyName) ?? [];
  return (
    <Section title="Every try is on record" note="the ledger of trials; it cannot be cleared">
      {error === null ? null : <Failure what="The ledger could not be read." error={error} />}
      {data !== undefined && questions.length === 0 ? <p className="p-2">Nothing was tried yet.</p> : null}
      {questions.length === 0 ? null : (
        <table className="cards">
          <thead>
            <tr>
              <th>Coin</th>
              <th className="num">Sets tried</th>
              <th className="num">Sweeps</th>
              <th>Last</th>
            </tr>
          </thead>
          <tbody>
            {questions.map(({ symbol, trials, sweeps, lastAt }) => (
              <tr key={symbol}>
                <td>{symbol}</td>
                <td className="num rt" data-l="Sets tried">
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
