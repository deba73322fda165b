import type { GateBar, GateBars } from '#core/research/live-gate.ts';
import { count, percent, signedPercent } from '#web/ui/numbers.ts';

/** What each bar asks about, and how its numbers are written; `share` ones are typed in percent. */
export const BARS: Readonly<Record<GateBar, { words: string; note: string; kind: 'share' | 'number' | 'days' }>> = {
  profitFactor: { words: 'Profit factor', note: 'Won for each unit lost, at least.', kind: 'number' },
  closedCycles: { words: 'Round trips', note: 'Closed positions, at least; fewer prove nothing.', kind: 'number' },
  returnOnCapital: {
    words: 'Return on capital used',
    note: 'Profit or loss, divided by the most money that was bound at once, at least.',
    kind: 'share',
  },
  alpha: {
    words: 'Alpha (vs. equal exposure)',
    note: 'Return less that of holding as much of the coin as the run did on average, at least.',
    kind: 'share',
  },
  outOfSample: { words: 'Last 30 % of the days', note: 'Return on the days that came last, at least.', kind: 'share' },
  drawdown: { words: 'Deepest fall', note: 'From the highest worth before it, at most.', kind: 'share' },
  coverage: { words: 'Candles that were there', note: 'Share of the period, at least.', kind: 'share' },
  ageDays: { words: 'Age of the backtest', note: 'Days since its last candle, at most.', kind: 'days' },
};

/** A value of a bar: `1.61`, `8.4 %`, `12 days`. */
export function barValue(bar: GateBar, value: number | null): string {
  if (value === null) return 'not known';
  const { kind } = BARS[bar];
  if (bar === 'alpha' || bar === 'returnOnCapital') return signedPercent(value, 2);
  if (kind === 'share') return bar === 'outOfSample' ? signedPercent(value, 1) : percent(value, 1);
  const text = Number(value.toFixed(2)).toLocaleString('en-US');
  return kind === 'days' ? count(Math.floor(value), 'day') : text;
}

/** The bars as a form shows them; one that is not asked is empty. */
export const barTexts = (bars: GateBars): Record<string, string> =>
  Object.fromEntries(
    Object.entries(BARS).map(([bar, { kind }]) => {
      const value = Object.entries(bars).find(([name]) => name === bar)?.[1] ?? null;
      return [bar, value === null ? '' : String(kind === 'share' ? Number((value * 100).toFixed(6)) : value)];
    }),
  );

/** The form's texts as the API takes them; empty is not asked. Throws for what is no number. */
export const barBody = (texts: Readonly<Record<string, string>>): Partial<GateBars> =>
  Object.fromEntries(
    Object.entries(BARS).map(([bar, { kind, words }]) => {
      const text = (texts[bar] ?? '').trim();
      const value = Number(text.replace(',', '.'));
      // JSON would make null of it, which takes the bar away.
      if (!Number.isFinite(value)) throw new Error(`${words}: "${text}" is no number.`);
      return [bar, text === '' ? null : kind === 'share' ? Number((value / 100).toFixed(8)) : value];
    }),
  );
