import type { ReactNode } from 'react';
import { Section } from '#web/ui/section.tsx';
import { PlotTable } from './plot-table.tsx';
import type { Performance } from './queries.ts';
import { labelPlaces } from '#web/ui/equity-shape.ts';
import { numberText } from '#web/ui/numbers.ts';

/** Closed trades by net P&L. The outer bars hold everything beyond the last edge. */
export function Distribution({ data, unit }: { data: Performance; unit: string }): ReactNode {
  const { distribution, trades } = data;
  const { edges, counts } = distribution;
  const most = Math.max(...counts, 1);
  const values = edges.map(Number);
  const zero = values.indexOf(0);
  const every = Math.ceil(edges.length / 5);
  const textOf = (edge: number): string => numberText(values[edge] ?? 0, labelPlaces(values));
  const nameOf = (bar: number): string => {
    if (bar === 0) return `below ${textOf(0)}`;
    return bar === edges.length ? `${textOf(bar - 1)} and above` : `${textOf(bar - 1)} to ${textOf(bar)}`;
  };
  const isLoss = (bar: number): boolean => (values[bar] ?? Number.POSITIVE_INFINITY) <= 0;
  const sentence = `Closed trades by net P&L: ${counts.map((count, bar) => `${count} ${nameOf(bar)}`).join(', ')} ${unit}.`;
  return (
    <Section title="Distribution of trades" note={`net P&L per trade, ${unit}; outer bars hold the rest`} span={4}>
      {trades.trades === 0 ? (
        <p className="p-2">No trade was closed in this period.</p>
      ) : (
        <>
          <div className="bars" role="img" aria-label={sentence}>
            {counts.map((count, bar) => (
              <span key={nameOf(bar)} title={`${count} ${nameOf(bar)} ${unit}`}>
                <small>{count === 0 ? '' : count}</small>
                <b className={isLoss(bar) ? 'neg' : ''} style={{ height: `calc((100% - 40px) * ${count / most})` }} />
                <small className="x">{bar > 0 && (bar - 1 - zero) % every === 0 ? textOf(bar - 1) : ''}</small>
              </span>
            ))}
          </div>
          <PlotTable
            caption="Distribution of trades"
            head={[`Net P&L, ${unit}`, 'Trades']}
            rows={counts.map((count, bar) => [nameOf(bar), count])}
          />
        </>
      )}
    </Section>
  );
}
