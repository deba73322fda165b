import { type ReactNode, useState } from 'react';
import { valueAt } from '#core/config-path.ts';
import type { SweepResult } from '#web/data/research.ts';
import type { Labels } from '#web/config/setting-labels.ts';
import { Heat } from './heat.tsx';
import { Section } from '#web/ui/section.tsx';
import { whole } from '#web/ui/numbers.ts';

interface HeatProps {
  result: SweepResult;
  /** The complete config that the sweep varied. */
  config: unknown;
  labels: Labels;
}

/** Two settings of a sweep against each other; each cell shows the best of all other settings. */
export function SweepHeat({ result, config, labels: { labelOf, wordsOf } }: HeatProps): ReactNode {
  const [chosen, setChosen] = useState<readonly [number, number]>([0, 1]);
  const { knobs, rows } = result;
  const note = `${whole(rows.length)} settings`;
  if (knobs.length < 2)
    return (
      <Section title="Where the good settings are" note={note} span={7}>
        <p className="p-2">Vary two settings to see clusters of good results. The ranking below lists all.</p>
      </Section>
    );
  const [x, y] = chosen;
  const edge = (at: number) => {
    const path = knobs[at] ?? '';
    const values = [...new Set(rows.map(({ values: all }) => all[at] ?? ''))].toSorted((a, b) => Number(a) - Number(b));
    const saved = values.findIndex((value) => Number(value) === Number(valueAt(config, path)));
    return { label: labelOf(path), values, saved, textOf: (value: unknown) => wordsOf(path, value) };
  };
  const [across, down] = [edge(x), edge(y)];
  const cells = down.values.map((low) =>
    across.values.map((side) => {
      const found = rows.filter(({ values }) => values[x] === side && values[y] === low);
      return found.length === 0 ? null : Math.max(...found.map(({ totalReturn }) => totalReturn));
    }),
  );
  const pick = (which: 'across' | 'down', at: number): void => {
    const other = which === 'across' ? y : x;
    const rest = other === at ? (which === 'across' ? x : y) : other;
    setChosen(which === 'across' ? [at, rest] : [rest, at]);
  };
  return (
    <Section title="Where the good settings are" note={note} span={7}>
      {knobs.length < 3 ? null : (
        <div className="filters">
          {(['across', 'down'] as const).map((which) => (
            <label key={which} className="flex items-center gap-2">
              <span className="note">{which}</span>
              <span className="in">
                <select
                  value={which === 'across' ? x : y}
                  onChange={(event) => pick(which, Number(event.target.value))}
                >
                  {knobs.map((path, at) => (
                    <option key={path} value={at}>
                      {labelOf(path)}
                    </option>
                  ))}
                </select>
              </span>
            </label>
          ))}
        </div>
      )}
      <Heat across={across} down={down} cells={cells} />
      <p className="note p-2">
        Good neighbours are a better sign than one outstanding cell.
        {knobs.length < 3 ? '' : ' Each cell is the best of all values of the other settings.'}
      </p>
    </Section>
  );
}
