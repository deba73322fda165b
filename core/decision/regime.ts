import { createEma } from '#core/indicators/ema.ts';

export const REGIME_POLICIES = ['off', 'block-in-bear', 'require-bull', 'exit-in-bear'] as const;

/** Settings of the daily trend filter; `period` and `confirmBars` count days. */
export interface RegimeSettings {
  readonly policy: (typeof REGIME_POLICIES)[number];
  readonly period: number;
  readonly confirmBars: number;
}

/** The daily trend: 1 rising, -1 falling, 0 neither, 2 not known yet. */
export type Regime = -1 | 0 | 1 | 2;

/** Closed daily candles before the trend is known. */
export const regimeNeed = ({ period, confirmBars }: RegimeSettings): number => period + confirmBars - 1;

/**
 * Counts consecutive daily closes above or below the exponential average of their day. A close on the average resets both
 * counts. `confirmBars` closes make a trend (design: strategies-exact 1.6).
 */
export function createRegime(settings: RegimeSettings) {
  const ema = createEma(settings.period);
  const seen = { days: 0, run: 0, close: 0 };
  return {
    push(close: number): void {
      ema.push(close);
      seen.days += 1;
      seen.close = close;
      if (!ema.ready) return;
      if (close > ema.value) seen.run = Math.max(seen.run, 0) + 1;
      else seen.run = close < ema.value ? Math.min(seen.run, 0) - 1 : 0;
    },
    get value(): Regime {
      if (seen.days < regimeNeed(settings)) return 2;
      if (Math.abs(seen.run) < settings.confirmBars) return 0;
      return seen.run > 0 ? 1 : -1;
    },
    numbers: () => ({ ...seen, ma: ema.value, need: regimeNeed(settings) }),
  };
}
