import type { ReactNode } from 'react';
import { useTimes } from '#web/data/session.tsx';
import { EquityPlot } from '#web/ui/equity-plot.tsx';
import { MISSING, money, percent } from '#web/ui/numbers.ts';
import { Section } from '#web/ui/section.tsx';
import { dated, place } from '#web/ui/time.ts';
import { PlotTable } from './plot-table.tsx';
import type { Performance } from './queries.ts';
import { SharePlot } from './share-plot.tsx';
import { signedMoney } from './texts.ts';

/** Equity against buy and hold, and the drawdown below it. Without a known equity the P&L since the start. */
export function Curve({ data, unit }: { data: Performance; unit: string }): ReactNode {
  const { zone, nowMs } = useTimes();
  const { points, step, equity, holding, quoteAsset, maxDrawdown, net } = data;
  const times = points.map(({ at }) => Date.parse(at));
  const values = points.map((point) => Number(point.equity ?? point.pnl));
  const held = points.map((point) => Number(point.holding));
  const hasHolding = points.every((point) => point.holding !== null);
  const falls = points.map(({ drawdown }) => drawdown ?? 0);
  const name = equity === null ? 'Net P&L' : 'Equity';
  const sentence = [
    `${name} ${money(equity?.to ?? net.pnl, quoteAsset)} ${unit}`,
    ...(equity === null ? [] : [`from ${money(equity.from, quoteAsset)} ${unit}`]),
    ...(hasHolding && holding !== null ? [`buy and hold ${signedMoney(holding.pnl, quoteAsset)} ${unit}`] : []),
    ...(maxDrawdown === null ? [] : [`max drawdown ${percent(maxDrawdown)}`]),
  ].join(', ');
  return (
    <Section title="Equity and drawdown" note={`${step === 'day' ? 'daily' : 'hourly'}, ${place(zone)}`} span={8}>
      <div className="key">
        <span>
          <i /> {name}, {unit}
        </span>
        {hasHolding ? (
          <span>
            <i className="d" /> Buy and hold
          </span>
        ) : null}
        <span>
          <i className="ahead" /> ahead
        </span>
        <span>
          <i className="behind" /> behind
        </span>
        {maxDrawdown === null ? null : (
          <span>
            <i className="fall" /> drawdown from the high
          </span>
        )}
      </div>
      <EquityPlot
        inMoney
        axis={maxDrawdown === null}
        balance={values[0] ?? 0}
        fromMs={times[0] ?? 0}
        toMs={times.at(-1) ?? 0}
        times={times}
        label={`${sentence}.`}
        lines={[{ kind: 'fact', values }, ...(hasHolding ? [{ kind: 'held' as const, values: held }] : [])]}
      />
      {maxDrawdown === null ? (
        <p className="note p-2">The equity is not known: no worker reports the wallet. The curve shows the P&amp;L.</p>
      ) : (
        <SharePlot kind="fall" values={falls} times={times} label={`Drawdown, at most ${percent(maxDrawdown)}.`} />
      )}
      <PlotTable
        caption="Equity and drawdown"
        head={['Time', `${name}, ${unit}`, `Buy and hold, ${unit}`, 'Drawdown']}
        rows={points.map((point) => [
          dated(Date.parse(point.at), zone, nowMs),
          money(point.equity ?? point.pnl, quoteAsset),
          money(point.holding, quoteAsset),
          point.drawdown === null ? MISSING : percent(point.drawdown, 2),
        ])}
      />
    </Section>
  );
}
