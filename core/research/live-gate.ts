import { z } from 'zod';

/*
 * The bars that a backtest should clear before its settings trade real money. They advise: nothing is stopped by them.
 * Shares are fractions, 0.1 is 10 %; a bar that is null is not asked.
 */

const share = z.number().min(-1).max(100).nullable();

export const gateBars = z.strictObject({
  /** Won for each unit lost, at least. */
  profitFactor: z.number().min(0).max(100).nullable(),
  /** Closed positions, at least: fewer prove nothing. */
  closedCycles: z.int().min(0).max(100_000).nullable(),
  /** Return on capital used, at least. */
  returnOnCapital: share,
  /** Return less that of holding the mean exposure of the run all the time, at least. */
  alpha: share,
  /** Return of the last 30 % of the days, at least. */
  outOfSample: share,
  /** Deepest fall, at most. */
  drawdown: z.number().min(0).max(1).nullable(),
  /** Share of the candles of the window that were there, at least. */
  coverage: z.number().min(0).max(1).nullable(),
  /** Days since the end of the window, at most. */
  ageDays: z.number().min(0).max(3650).nullable(),
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
 * What a stored result says of the things that bars are about; anything else in it is left alone. Results that an earlier
 * version has stored have no `capital`: they compared the return with buying and holding for the whole balance.
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
  /** Null where the run gives no such number. */
  readonly value: number | null;
  readonly passed: boolean;
}

const DAY_MS = 86_400_000;

/** Each bar that is asked, with what the run has. A profit factor without any loss is none, and passes once it has won. */
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
