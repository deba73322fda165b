import type { ReactNode } from 'react';
import { type Difference, differencesOf } from '#core/config-differences.ts';
import { mergePatch } from '#core/merge.ts';
import { listStrategies } from '#api/contract/profiles.ts';
import type { DryRun } from '#web/data/dry-runs.ts';
import { useRead } from '#web/data/read.ts';
import { Section } from '#web/ui/section.tsx';
import { useLabels } from './setting-labels.ts';

type Configs = Pick<DryRun, 'strategyName' | 'present' | 'changed'>;

/** The settings that differ, with the defaults of the strategy where a side sets none. */
export function useDifferences({ strategyName, present, changed }: Configs): Difference[] {
  const { data } = useRead(listStrategies, {});
  const defaults = data?.strategies.find(({ name }) => name === strategyName)?.defaults ?? {};
  return differencesOf(mergePatch(defaults, present), mergePatch(defaults, changed));
}

/** The settings that differ between both sides, in the words of the form. */
export function SettingsOfBoth({ run }: { run: Configs }): ReactNode {
  const { labelOf, wordsOf } = useLabels(run.strategyName, run.changed);
  const changes = useDifferences(run);
  return (
    <Section title="Settings that differ">
      <table className="side">
        <thead>
          <tr>
            <th>Setting</th>
            <th className="num">Present</th>
            <th className="num">Changed</th>
          </tr>
        </thead>
        <tbody>
          {changes.map(({ path, before, after }) => (
            <tr key={path}>
              <th scope="row">{labelOf(path)}</th>
              <td className="num two">{wordsOf(path, before)}</td>
              <td className="num">
                <b>{wordsOf(path, after)}</b>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}
