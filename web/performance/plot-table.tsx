import type { ReactNode } from 'react';

interface PlotTableProps {
  /** Names the table for a screen reader. */
  caption: string;
  head: readonly string[];
  rows: readonly (readonly ReactNode[])[];
}

/** The numbers of a plot as a table, closed at first. */
export function PlotTable({ caption, head, rows }: PlotTableProps): ReactNode {
  return (
    <details className="plot-table">
      <summary>Show as table</summary>
      <div className="tw" tabIndex={0} role="group" aria-label={caption}>
        <table>
          <caption className="vh">{caption}</caption>
          <thead>
            <tr>
              {head.map((words, i) => (
                <th key={words} scope="col" className={i === 0 ? '' : 'num'}>
                  {words}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((cells, row) => (
              <tr key={row}>
                {cells.map((cell, i) => (
                  <td key={head[i]} className={i === 0 ? 'note' : 'num'}>
                    {cell}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
