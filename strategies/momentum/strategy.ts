import { MOST_CLOSED } from '#core/market/candle.ts';
import { ZERO } from '#core/amount/decimal.ts';
import { entryShares } from '#strategies/entry-fields.ts';
import { readFactor, readSetting } from '#strategies/fields.ts';
import { gateShares } from '#strategies/gate-fields.ts';
import { stopShares } from '#strategies/stop-fields.ts';
import type { CandleNeed, SharedSettings, Strategy } from '#strategies/strategy.ts';
import { type Config, config, fitWindows } from './config.ts';
import { drawingsOf } from './drawings.ts';
import { createInstance, needOf } from './instance.ts';
import { lint } from './lint.ts';
import { REASONS } from './reasons.ts';
import { sweep } from './sweep/sweep.ts';

const MINUTE_MS = 60_000;

/** The seed weighs less than a millionth after eight lengths of an average, or fifteen of a true range. */
function needs(stored: Config): CandleNeed {
  const settings = fitWindows(stored);
  const { candleInterval, ema, atrTrailing, trendFilter } = settings;
  const min = needOf(settings);
  const trend = trendFilter.period > 0 && trendFilter.maType === 'ema' ? 8 * (trendFilter.period + 1) : 0;
  const atr = readFactor(atrTrailing.multiplier) > 0 ? 15 * atrTrailing.period : 0;
  const want = Math.min(MOST_CLOSED, Math.max(min, 8 * (ema.slow + 1), trend, atr));
  return { interval: candleInterval, min, want };
}

const sharedSettings = (settings: Config): SharedSettings => ({
  ...entryShares(settings),
  entryBudget: settings.entrySizing.mode === 'fixed' ? (readSetting(settings.entrySizing.amount) ?? ZERO) : ZERO,
  lossCooldownMs: settings.lossCooldownMinutes * MINUTE_MS,
  stopMultiple: settings.exitEnabled ? readSetting(settings.trailingStopPercentage) : null,
  ...stopShares(settings.protectiveStop, settings.exitEnabled),
  ...gateShares(settings),
});

/** Buys when a fast average crosses above a slow one, sells at a trailing stop or when they cross back. */
export const momentum: Strategy<Config> = {
  name: 'momentum',
  title: 'Momentum',
  summary: 'Buys when a fast average crosses above a slow one and sells on the way down.',
  config,
  lint,
  drawings: drawingsOf,
  needs,
  sharedSettings,
  create: createInstance,
  sweep,
  reasons: REASONS,
};
