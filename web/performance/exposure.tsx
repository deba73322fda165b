import type { ReactNode } from 'react';
import { useTimes } from '#web/data/session.tsx';
import { MISSING, money, percent, signedPercent } from '#web/ui/numbers.ts';
import { Section } from '#web/ui/section.tsx';
import { age, dated } from '#web/ui/time.ts';
import { MEANINGS } from './meanings.ts';
import { PlotTable } from './plot-table.tsx';
import type { Performance } from './queries.ts';
import { SharePlot } from './share-plot.tsx';

/** How much of the equity was invested, and what it returned. */
export function Exposure({ data, unit }: { data: Performance; unit: string }): ReactNode {
  const { zone, nowMs } = useTimes();
  const { exposure, points, trades, quoteAsset } = data;
  const shown = points.slice(1);
  const part = (value: number | null, places: number): string => (value === null ? MISSING : percent(value, places));
  const rows = [
    ['Average exposure', part(exposure.average, 1), MEANINGS.exposure],
    ['Time in the market', part(exposure.timeInMarket, 0), MEANINGS.timeInMarket],
    ['Capital used', `${money(exposure.capitalUsed, quoteAsset)} ${unit}`, MEANINGS.capitalUsed],
    [
      'Return on capital used',
      exposure.returnOnCapital === null ? MISSING : signedPercent(exposure.returnOnCapital, 1),
      MEANINGS.returnOnCapital,
    ],
    ['Median holding time', trades.medianHeldMs === null ? MISSING : age(trades.medianHeldMs), MEANINGS.medianHeld],
    ['Trades a week', trades.perWeek === null ? MISSING : trades.perWeek.toFixed(1), 'Closed trades a week.'],
  ] as const;
  return (
    <Section title="Exposure" note="share of the equity that is invested, at cost" span={6}>
      {exposure.average === null ? (
        <p className="p-2">The equity is not known, so neither is its invested share.</p>
      ) : (
        <>
          <SharePlot
            kind="part"
            values={shown.map((point) => point.exposure ?? 0)}
            times={shown.map(({ at }) => Date.parse(at))}
            label={`Exposure: ${percent(exposure.average)} on average.`}
          />
          <PlotTable
            caption="Exposure"
            head={['Until', 'Exposure']}
            rows={shown.map((point) => [dated(Date.parse(point.at), zone, nowMs), part(point.exposure, 1)])}
          />
        </>
      )}
      <dl className="dl">
        {rows.map(([label, value, meaning]) => (
          <div key={label} className="contents">
            <dt title={meaning}>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}
