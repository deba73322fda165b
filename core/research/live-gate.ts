import { z } from 'zod';

/*
 * Requirements that a backtest should meet before its settings trade real money. They are advice and stop nothing.
 * Shares are fractions, 0.1 is 10 %. A bar that is null is not checked.
 */

const share = z.number().min(-1).max(100).nullable();
const inPercent = (title: string, description: string) => ({ title, description, form: { percent: 'share' } });

export const gateBars = z.strictObject({
  profitFactor: z
    .number()
    .min(0)
    .max(100)
    .nullable()
    .meta({ title: 'Profit factor', description: 'Gross profit divided by gross loss, at least.' }),
  closedCycles: z
    .int()
    .min(0)
    .max(100_000)
    .nullable()
    .meta({ title: 'Trades', description: 'Closed trades, at least; fewer prove little.' }),
  returnOnCapital: share.meta(
    inPercent('Return on capital used', 'Net P&L divided by the maximum money in use, at least.'),
  ),
  alpha: share.meta(
    inPercent('Alpha (vs. equal exposure)', 'Return less the return of holding the mean exposure, at least.'),
  ),
  outOfSample: share.meta(inPercent('Out of sample (last 30 %)', 'Return on the last days, at least.')),
  drawdown: z.number().min(0).max(1).nullable().meta(inPercent('Max drawdown', 'From the high, at most.')),
  coverage: z.number().min(0).max(1).nullable().meta(inPercent('Candle coverage', 'Share of the period, at least.')),
  ageDays: z
    .number()
    .min(0)
    .max(3650)
    .nullable()
    .meta({
      title: 'Age of the backtest',
      description: 'Days since its last candle, at most.',
      form: { unit: 'days' },
    }),
});
export type GateBars = z.output<typeof gateBars>;
export const USUAL_BARS: GateBars = {
  profitFactor: 1.2,
  closedCycles: 30,
  returnOnCapital: 0,
  alpha: 0,
  outOfSample: 0,
  drawdown: 0.25,
  coverage: 0.95,
  ageDays: 30,
};
export const GATE_BARS = gateBars.keyof().options;
export type GateBar = (typeof GATE_BARS)[number];

/**
 * The fields of a stored result that bars use; other fields are ignored. Results stored by an earlier version have no
 * `capital`: they compared the return with buy and hold of the whole balance.
 */
export const gateFacts = z.object({
  to: z.iso.datetime(),
  metrics: z.object({
    profitFactor: z.number().nullable(),
    closedCycles: z.number(),
    capital: z.object({ returnOnUsed: z.number().nullable(), alpha: z.number() }),
  }),
  holdout: z.object({ outOfSample: z.object({ totalReturn: z.number() }) }).nullable(),
  drawdown: z.object({ depth: z.number() }),
  coverage: z.object({ candles: z.number(), missing: z.number() }),
});
type GateFacts = z.output<typeof gateFacts>;

export interface GateCheck {
  readonly bar: GateBar;
  readonly kind: 'least' | 'most';
  readonly wanted: number;
  /** Null when the run has no such number. */
  readonly value: number | null;
  readonly passed: boolean;
}

const DAY_MS = 86_400_000;

/** Each active bar with the number of the run. Without losses there is no profit factor; it passes with a win. */
export function checkBars(bars: GateBars, { metrics, holdout, drawdown, coverage, to }: GateFacts, nowMs: number) {
  const { candles, missing } = coverage;
  const values: Record<GateBar, number | null> = {
    profitFactor: metrics.profitFactor,
    closedCycles: metrics.closedCycles,
    returnOnCapital: metrics.capital.returnOnUsed,
    alpha: metrics.capital.alpha,
    outOfSample: holdout?.outOfSample.totalReturn ?? null,
    drawdown: drawdown.depth,
    coverage: candles === 0 ? 0 : candles / (candles + missing),
    ageDays: (nowMs - Date.parse(to)) / DAY_MS,
  };
  return GATE_BARS.flatMap((bar): GateCheck[] => {
    const [wanted, value] = [bars[bar], values[bar]];
    if (wanted === null) return [];
    const kind = bar === 'drawdown' || bar === 'ageDays' ? 'most' : 'least';
    const lossless = bar === 'profitFactor' && value === null && metrics.closedCycles > 0;
    const within = value !== null && (kind === 'most' ? value <= wanted : value >= wanted);
    return [{ bar, kind, wanted, value, passed: lossless || within }];
  });
}
