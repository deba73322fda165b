import { MOST_CLOSED } from '#core/market/candle.ts';
import { divide, fromSteps, multiply, ONE, ZERO } from '#core/amount/decimal.ts';
import type { LevelBudget } from '#core/sizing/entry-size.ts';
import { readSetting } from '#strategies/fields.ts';
import { gateShares } from '#strategies/gate-fields.ts';
import type { SharedSettings, Strategy } from '#strategies/strategy.ts';
import { type Config, config, fitRanking } from './config.ts';
import { drawings } from './drawings.ts';
import { createInstance } from './instance.ts';
import { lint } from './lint.ts';
import { REASONS } from './reasons.ts';
import { plannerOf } from './rules.ts';

const sharedSettings = (settings: Config): SharedSettings => ({
  entryBudget: ZERO,
  lossCooldownMs: 0,
  stopMultiple: null,
  stopLimitOffset: ONE,
  caps: { symbolExposure: readSetting(settings.maxSymbolExposureQuote), positionLoss: null },
  ...gateShares(settings),
});

/** Added cash buys a coin up to its share of the budget. A coin without a share is only sold. */
function basketShare(settings: Config, symbol: string): LevelBudget | null {
  const { basketBudgetQuote, minTradeQuote, weightMode, targets } = settings;
  const budget = readSetting(basketBudgetQuote);
  if (budget === null) return null;
  const least = readSetting(minTradeQuote);
  if (weightMode === 'momentum')
    return { spend: divide(budget, fromSteps(fitRanking(settings).topK, ONE)), least, trigger: ONE };
  const weight = readSetting(targets.find((target) => target.symbol === symbol)?.weight ?? '');
  return weight === null ? null : { spend: multiply(budget, weight), least, trigger: ONE };
}

/** Keeps several coins at their shares of one basket. One plan over all coins per candle, sales before buys. */
export const rebalance: Strategy<Config> = {
  name: 'rebalance',
  title: 'Rebalance',
  summary: 'Keeps the coins of a profile at their shares, or holds the strongest ones.',
  config,
  lint,
  planner: plannerOf,
  basketShare,
  drawings: () => drawings,
  needs: (settings) => {
    const { candleInterval, weightMode } = settings;
    const min = weightMode === 'momentum' ? Math.min(MOST_CLOSED, fitRanking(settings).lookbackCandles + 1) : 1;
    return { interval: candleInterval, min, want: min };
  },
  sharedSettings,
  create: createInstance,
  reasons: REASONS,
};
