import type { ReactNode } from 'react';
import { readTrials } from '#api/contract/research.ts';
import { useRead } from '#web/data/read.ts';
import { Section } from '#web/ui/section.tsx';
import { When } from '#web/ui/when.tsx';
import { Read } from '#web/ui/read.tsx';
import { whole } from '#web/ui/numbers.ts';

/** Number of settings tried with a strategy, by coin; it cannot be cleared. */
export function TrialLedger({ strategyName }: { strategyName: string }): ReactNode {
  const trials = useRead(readTrials, {});
  const questions = trials.data?.questions.filter((question) => question.strategyName === strategyName) ?? [];
  return (
    <Section title="Tried so far" note="cannot be cleared">
      <Read of={trials} what="the trials" rows={2}>
        {() =>
          questions.length === 0 ? (
            <p className="p-2">No settings tried yet.</p>
          ) : (
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
                {questions.map(({ symbol, trials: tried, sweeps, lastAt }) => (
                  <tr key={symbol}>
                    <td>{symbol}</td>
                    <td className="num rt" data-l="Settings tried">
                      {whole(tried)}
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
          )
        }
      </Read>
    </Section>
  );
}
