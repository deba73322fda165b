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

const USUAL: Config = config.parse({});

/** Knobs that do nothing or leave the basket empty. */
function lint(settings: Config, _takerFee: number, coins?: readonly string[]): readonly Finding[] {
  const { weightMode, targets, basketBudgetQuote, momentum } = settings;
  const sum = targets.reduce((total, { weight }) => total + readFactor(weight), 0);
  const fixed = weightMode === 'fixed';
  const cap = readFactor(settings.maxSymbolExposureQuote);
  const budget = readFactor(basketBudgetQuote);
  const most = fixed ? Math.max(0, ...targets.map(({ weight }) => readFactor(weight))) : 1 / momentum.topK;
  const ranks = Object.entries(momentum).some(([knob, value]) => Reflect.get(USUAL.momentum, knob) !== value);
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
    fixed &&
      ranks && {
        level: 'info',
        code: 'ranking-inert',
        path: 'momentum.topK',
        message: 'The shares are fixed, so no coins are ranked.',
      },
    !fixed &&
      coins !== undefined &&
      coins.length > 0 &&
      momentum.topK >= coins.length && {
        level: 'info',
        code: 'topk-covers-basket',
        path: 'momentum.topK',
        message: 'All coins of the profile are held, so their strength decides nothing.',
      },
    cap > 0 &&
      cap < budget * most && {
        level: 'warn',
        code: 'cap-below-budget',
        path: 'maxSymbolExposureQuote',
        message: 'Lies below the share of the budget that one coin is to have.',
      },
    !fixed &&
      targets.length > 0 && {
        level: 'info',
        code: 'targets-inert',
        path: 'targets',
        message: `The strongest ${momentum.topK} coins are held, so these shares are not asked.`,
      },
  ];
  const unbound = targets.flatMap(({ symbol }, i): Finding[] =>
    !fixed || coins === undefined || coins.includes(symbol)
      ? []
      : [
          {
            level: 'warn',
            code: 'target-unbound',
            path: `targets.${i}.symbol`,
            message: `The profile does not trade ${symbol}, so its share stays cash.`,
          },
        ],
  );
  return [...found.filter((finding) => finding !== false), ...unbound, ...gateFindings(settings)];
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
