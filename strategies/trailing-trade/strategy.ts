import { divide, ONE, requireDecimal, ZERO } from '#core/amount/decimal.ts';
import type { LevelBudget } from '#core/sizing/entry-size.ts';
import { entryShares } from '#strategies/entry-fields.ts';
import { readSetting } from '#strategies/fields.ts';
import { gateShares } from '#strategies/gate-fields.ts';
import { stopShares } from '#strategies/stop-fields.ts';
import type { SharedSettings, Strategy } from '#strategies/strategy.ts';
import { type Config, config, DEFAULT_LEVEL } from './config.ts';
import { drawingsOf } from './drawings.ts';
import { createInstance, needsOf } from './instance.ts';
import { lint } from './lint.ts';
import { REASONS } from './reasons.ts';

const MINUTE_MS = 60_000;

/** Each level spends its own amount, or an equal share of the total. */
function levelsOf({ buy }: Config): LevelBudget[] {
  const levels = buy.gridLevels.length === 0 ? [DEFAULT_LEVEL] : buy.gridLevels;
  const amount = readSetting(buy.entrySizing.amount) ?? ZERO;
  const share = buy.entrySizing.mode === 'fixed' ? divide(amount, requireDecimal(String(levels.length))) : null;
  return levels.map(({ triggerPercentage, minPurchaseAmount, maxPurchaseAmount }) => ({
    spend: readSetting(maxPurchaseAmount) ?? share,
    least: readSetting(minPurchaseAmount),
    trigger: readSetting(triggerPercentage) ?? ONE,
  }));
}

function sharedSettings(settings: Config): SharedSettings {
  const { buy, sell } = settings;
  const levels = levelsOf(settings);
  return {
    ...entryShares(buy),
    entryBudget: levels[0]?.spend ?? ZERO,
    lossCooldownMs: buy.lossCooldownMinutes * MINUTE_MS,
    stopMultiple: sell.enabled ? readSetting(sell.stopLossPercentage) : null,
    ...stopShares(sell.protectiveStop, sell.enabled, sell.restTarget),
    ...gateShares(settings),
    levels,
  };
}

/** Buys near the low of the last closed candles, then follows the price up and sells on the way down. */
export const trailingTrade: Strategy<Config> = {
  name: 'trailing-trade',
  title: 'Trailing trade',
  summary: 'Buys near the low of recent candles, follows the price up and sells when it turns.',
  actsOnTicks: true,
  config,
  lint,
  drawings: drawingsOf,
  needs: needsOf,
  sharedSettings,
  create: createInstance,
  reasons: REASONS,
};
