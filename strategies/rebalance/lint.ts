import { readFactor } from '#strategies/fields.ts';
import { gateFindings } from '#strategies/gate-fields.ts';
import type { Finding } from '#strategies/strategy.ts';
import { type Config, config, fitRanking } from './config.ts';

type Check = (settings: Config, coins: readonly string[] | undefined) => Finding | readonly Finding[] | undefined;

const USUAL: Config = config.parse({});
const warn = (code: string, path: string, message: string): Finding => ({ level: 'warn', code, path, message });
const info = (code: string, path: string, message: string): Finding => ({ level: 'info', code, path, message });
const isFixed = ({ weightMode }: Config): boolean => weightMode === 'fixed';

const noTargets: Check = (settings) =>
  settings.enabled && isFixed(settings) && settings.targets.length === 0
    ? warn('target-unbound', 'targets', 'No coin has a share: all positions would be sold.')
    : undefined;
const unboundTargets: Check = (settings, coins) =>
  settings.targets.flatMap(({ symbol }, i) =>
    !isFixed(settings) || coins === undefined || coins.includes(symbol)
      ? []
      : [
          warn(
            'target-unbound',
            `targets.${i}.symbol`,
            `The profile does not trade ${symbol}, so its share stays cash.`,
          ),
        ],
  );
const noBudget: Check = ({ enabled, basketBudgetQuote }) =>
  enabled && basketBudgetQuote === ''
    ? info('budget-zero-empty', 'basketBudgetQuote', 'No cash may be added: only existing positions are rebalanced.')
    : undefined;
const weightsUnderOne: Check = (settings) => {
  const sum = settings.targets.reduce((total, { weight }) => total + readFactor(weight), 0);
  if (!isFixed(settings) || settings.targets.length === 0 || sum >= 1 - 1e-9) return undefined;
  return info(
    'weights-under-one',
    'targets',
    'The sum of the shares is less than the whole basket: the rest stays cash.',
  );
};
const rankingInert: Check = (settings) => {
  const ranks = Object.entries(settings.momentum).some(
    ([setting, value]) => Reflect.get(USUAL.momentum, setting) !== value,
  );
  return isFixed(settings) && ranks
    ? info('ranking-inert', 'momentum.topK', 'The shares are fixed, so no coins are ranked.')
    : undefined;
};
const topCoversAll: Check = (settings, coins) =>
  !isFixed(settings) && coins !== undefined && coins.length > 0 && settings.momentum.topK >= coins.length
    ? info('topk-covers-basket', 'momentum.topK', 'All coins of the profile are held, so the ranking has no effect.')
    : undefined;
const capBelowBudget: Check = (settings) => {
  const cap = readFactor(settings.maxSymbolExposureQuote);
  const shares = settings.targets.map(({ weight }) => readFactor(weight));
  const most = isFixed(settings) ? Math.max(0, ...shares) : 1 / fitRanking(settings).topK;
  return cap > 0 && cap < readFactor(settings.basketBudgetQuote) * most
    ? warn('cap-below-budget', 'maxSymbolExposureQuote', 'Is below the share of the budget for one coin.')
    : undefined;
};
const targetsInert: Check = (settings) =>
  isFixed(settings) || settings.targets.length === 0
    ? undefined
    : info(
        'targets-inert',
        'targets',
        `The strongest ${settings.momentum.topK} coins are held, so these shares are not used.`,
      );

const CHECKS: readonly Check[] = [
  noTargets,
  noBudget,
  weightsUnderOne,
  rankingInert,
  topCoversAll,
  capBelowBudget,
  targetsInert,
  unboundTargets,
];

/** Warnings about settings without effect, with contradictions, or that leave the basket empty. */
export const lint = (settings: Config, _takerFee: number, coins?: readonly string[]): readonly Finding[] => [
  ...CHECKS.flatMap((check) => check(settings, coins) ?? []),
  ...gateFindings(settings),
];
