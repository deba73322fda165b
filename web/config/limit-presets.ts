import { type Decimal, formatRounded, fromNumber, multiply } from '#core/amount/decimal.ts';
import type { RiskLimits } from '#core/account/risk.ts';

interface LimitPreset {
  readonly title: string;
  /** Loss of a day and drawdown, as shares of the equity. */
  readonly dailyLoss: number;
  readonly drawdown: number;
  readonly lossStreak: number;
}

export const LIMIT_PRESETS: readonly LimitPreset[] = [
  { title: 'Careful: 1 % a day', dailyLoss: 0.01, drawdown: 0.025, lossStreak: 3 },
  { title: 'Normal: 2 %', dailyLoss: 0.02, drawdown: 0.05, lossStreak: 4 },
  { title: 'Bold: 5 %', dailyLoss: 0.05, drawdown: 0.1, lossStreak: 6 },
];

type Limits = Partial<RiskLimits>;

/** Amounts have two decimals, as quote money everywhere. */
const share = (equity: Decimal, part: number): string => formatRounded(multiply(equity, fromNumber(part)), 2);

/** The limits of a preset for an equity; the other limits are not changed. */
export const presetLimits = ({ dailyLoss, drawdown, lossStreak }: LimitPreset, equity: Decimal): Limits => ({
  dailyLoss: share(equity, dailyLoss),
  drawdown: share(equity, drawdown),
  lossStreak,
});

/** No limit at all. */
export const NO_LIMIT: Limits = {
  dailyLoss: null,
  drawdown: null,
  lossStreak: null,
  openPositions: null,
  exposure: null,
  entriesPerMinute: null,
};
