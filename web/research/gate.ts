import type { GateBar, GateBars } from '#core/research/live-gate.ts';
import { count, percent, signedPercent } from '#web/ui/numbers.ts';

/** Labels and number formats of the thresholds; `share` values are typed in percent. */
export const BARS: Readonly<Record<GateBar, { words: string; note: string; kind: 'share' | 'number' | 'days' }>> = {
  profitFactor: { words: 'Profit factor', note: 'Gross profit divided by gross loss, at least.', kind: 'number' },
  closedCycles: { words: 'Trades', note: 'Closed trades, at least; fewer prove little.', kind: 'number' },
  returnOnCapital: {
    words: 'Return on capital used',
    note: 'Net P&L divided by the maximum money in use, at least.',
    kind: 'share',
  },
  alpha: {
    words: 'Alpha (vs. equal exposure)',
    note: 'Return less the return of holding the mean exposure, at least.',
    kind: 'share',
  },
  outOfSample: { words: 'Out of sample (last 30 %)', note: 'Return on the last days, at least.', kind: 'share' },
  drawdown: { words: 'Max drawdown', note: 'From the high, at most.', kind: 'share' },
  coverage: { words: 'Candle coverage', note: 'Share of the period, at least.', kind: 'share' },
  ageDays: { words: 'Age of the backtest', note: 'Days since its last candle, at most.', kind: 'days' },
};

/** A value of a threshold: `1.61`, `8.4 %`, `12 days`. */
export function barValue(bar: GateBar, value: number | null): string {
  if (value === null) return 'unknown';
  const { kind } = BARS[bar];
  if (bar === 'alpha' || bar === 'returnOnCapital') return signedPercent(value, 2);
  if (kind === 'share') return bar === 'outOfSample' ? signedPercent(value, 1) : percent(value, 1);
  const text = Number(value.toFixed(2)).toLocaleString('en-US');
  return kind === 'days' ? count(Math.floor(value), 'day') : text;
}

/** The thresholds as typed; one that is off is empty. */
export const barTexts = (bars: GateBars): Record<string, string> =>
  Object.fromEntries(
    Object.entries(BARS).map(([bar, { kind }]) => {
      const value = Object.entries(bars).find(([name]) => name === bar)?.[1] ?? null;
      return [bar, value === null ? '' : String(kind === 'share' ? Number((value * 100).toFixed(6)) : value)];
    }),
  );

/** The typed thresholds as the API takes them; empty is off. Throws for a text that is no number. */
export const barBody = (texts: Readonly<Record<string, string>>): Partial<GateBars> =>
  Object.fromEntries(
    Object.entries(BARS).map(([bar, { kind, words }]) => {
      const text = (texts[bar] ?? '').trim();
      const value = Number(text.replace(',', '.'));
      // JSON would turn it into null, which switches the threshold off.
      if (!Number.isFinite(value)) throw new Error(`${words}: "${text}" is no number.`);
      return [bar, text === '' ? null : kind === 'share' ? Number((value / 100).toFixed(8)) : value];
    }),
  );
