import { ONE, ZERO } from '#core/decimal.ts';
import { readFactor, readKnob } from '../fields.ts';
import { gateFindings, gateShares } from '../gate-fields.ts';
import type { Finding, SharedSettings, Strategy } from '../strategy.ts';
import { type Config, config, readStoredConfig } from './config.ts';
import { createInstance } from './instance.ts';
import { REASONS } from './reasons.ts';
import { plannerOf } from './rules.ts';

const sharedSettings = (settings: Config): SharedSettings => ({
  entryBudget: ZERO,
  lossCooldownMs: 0,
  stopMultiple: null,
  stopLimitOffset: ONE,
  caps: { symbolExposure: readKnob(settings.maxSymbolExposureQuote), positionLoss: null },
  ...gateShares(settings),
});

/** Knobs that do nothing or leave the basket empty. */
function lint(settings: Config): readonly Finding[] {
  const { weightMode, targets, basketBudgetQuote, momentum } = settings;
  const sum = targets.reduce((total, { weight }) => total + readFactor(weight), 0);
  const fixed = weightMode === 'fixed';
  const found: readonly (Finding | false)[] = [
    settings.enabled &&
      fixed &&
      targets.length === 0 && {
        level: 'warn',
        code: 'target-unbound',
        path: 'targets',
        message: 'No coin has a share: everything that is held would be sold.',
      },
    settings.enabled &&
      basketBudgetQuote === '' && {
        level: 'info',
        code: 'budget-zero-empty',
        path: 'basketBudgetQuote',
        message: 'No fresh money is allowed: only what is held already is shifted.',
      },
    fixed &&
      targets.length > 0 &&
      sum < 1 - 1e-9 && {
        level: 'info',
        code: 'weights-under-one',
        path: 'targets',
        message: 'The shares are less than the whole basket: the rest stays cash.',
      },
    !fixed &&
      targets.length > 0 && {
        level: 'info',
        code: 'targets-inert',
        path: 'targets',
        message: `The strongest ${momentum.topK} coins are held, so these shares are not asked.`,
      },
  ];
  return [...found.filter((finding) => finding !== false), ...gateFindings(settings)];
}

/** Keeps several coins at their shares of one basket; one plan over all of them per candle, sales before buys. */
export const rebalance: Strategy<Config> = {
  name: 'rebalance',
  title: 'Rebalance',
  summary: 'Keeps the coins of a profile at their shares, or holds the strongest ones.',
  config,
  readStoredConfig,
  lint,
  planner: plannerOf,
  needs: ({ candleInterval, weightMode, momentum }) => {
    const min = weightMode === 'momentum' ? Math.min(999, momentum.lookbackCandles + 1) : 1;
    return { interval: candleInterval, min, want: min };
  },
  sharedSettings,
  create: createInstance,
  reasons: REASONS,
};
