import type { ReactNode } from 'react';
import { signedPercent } from '#web/ui/numbers.ts';

/** One edge of a heat map. */
interface Edge {
  readonly label: string;
  readonly values: readonly (string | number)[];
  readonly textOf: (value: unknown) => string;
  /** Index of the saved value; -1 where it is not among them. */
  readonly saved: number;
}

interface HeatProps {
  across: Edge;
  down: Edge;
  /** Rows of returns as shares: `undefined` is not run yet, `null` has no result. */
  cells: readonly (readonly (number | null | undefined)[])[];
}

/** Position of the best cell; `undefined` without results. */
function bestOf(cells: HeatProps['cells']): { readonly x: number; readonly y: number } | undefined {
  const best = Math.max(...cells.flat().flatMap((cell) => cell ?? []));
  return cells.flatMap((row, y) => row.flatMap((cell, x) => (cell === best ? [{ x, y }] : [])))[0];
}

/** The return of each pair of settings, as a number and as a tint. */
export function Heat({ across, down, cells }: HeatProps): ReactNode {
  const strongest = Math.max(...cells.flat().flatMap((cell) => Math.abs(cell ?? 0)), 0.001);
  const tint = (value: number | null | undefined): string | undefined =>
    value === undefined || value === null
      ? undefined
      : `color-mix(in srgb, var(--color-${value >= 0 ? 'gain' : 'loss'}) ${Math.round((Math.abs(value) / strongest) * 40)}%, var(--color-ground))`;
  const at = bestOf(cells);
  return (
    <>
      <div className="tw" tabIndex={0} role="group" aria-label="Return of each pair of settings">
        <table className="heat">
          <caption className="vh">
            Return of each pair of settings; across {across.label}, down {down.label}
          </caption>
          <thead>
            <tr>
              <th aria-label={down.label} />
              {across.values.map((value) => (
                <th key={value} scope="col">
                  {across.textOf(value)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {cells.map((row, y) => (
              <tr key={down.values[y]}>
                <th scope="row">{down.textOf(down.values[y])}</th>
                {row.map((value, x) => {
                  const mark = at?.x === x && at.y === y ? 'best' : '';
                  const now = x === across.saved && y === down.saved ? 'now' : '';
                  return (
                    <td key={across.values[x]} className={`${mark} ${now}`} style={{ background: tint(value) }}>
                      {value === undefined ? '' : value === null ? '–' : signedPercent(value, 1)}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div className="key pt-2">
        <span>across: {across.label.toLowerCase()}</span>
        <span>down: {down.label.toLowerCase()}</span>
        <span className="intent">outlined: the best</span>
        {across.saved < 0 || down.saved < 0 ? null : <span>dashed: as saved</span>}
      </div>
    </>
  );
}
