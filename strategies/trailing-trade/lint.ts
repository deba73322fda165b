import { capFindings } from '#strategies/entry-fields.ts';
import { exitFix, feesFinding } from '#strategies/exit-costs.ts';
import { executionFindings } from '#strategies/execution.ts';
import { readFactor } from '#strategies/fields.ts';
import { gateFindings } from '#strategies/gate-fields.ts';
import { breakEvenOf } from '#strategies/ticks.ts';
import type { Finding } from '#strategies/strategy.ts';
import type { Config } from './config.ts';

type Check = (config: Config, breakEven: number) => Finding | readonly Finding[] | undefined;

const warn = (code: string, path: string, message: string): Finding => ({ level: 'warn', code, path, message });
const info = (code: string, path: string, message: string): Finding => ({ level: 'info', code, path, message });

const factorsOf = ({ buy, sell }: Config) => ({
  stop: sell.enabled ? readFactor(sell.stopLossPercentage) : 0,
  trigger: readFactor(sell.triggerPercentage),
  trail: readFactor(sell.trailingStopPercentage),
  atr: readFactor(sell.atrTrailing.multiplier),
  floorArm: readFactor(sell.breakEven.armAtPercentage),
  floor: readFactor(sell.breakEven.floorPercentage),
  triggers: buy.gridLevels.map(({ triggerPercentage }) => readFactor(triggerPercentage)),
});

const trailBelowCost: Check = (config, breakEven) => {
  const { trigger, trail, atr } = factorsOf(config);
  if (trigger === 0 || trail === 0 || atr > 0) return undefined;
  const costs = { path: 'sell.triggerPercentage', setting: trigger, exit: trigger * trail, breakEven };
  if (costs.exit >= breakEven) return feesFinding(costs);
  return {
    ...warn(
      'trail-below-cost',
      'sell.trailingStopPercentage',
      'Right after its start, the trailing stop is below the price that pays the fees: it may sell at a loss.',
    ),
    fix: startFix(costs),
  };
};
const startFix = (costs: Parameters<typeof exitFix>[0]): ReturnType<typeof exitFix> => {
  const { words, changes } = exitFix(costs);
  return { words: words.replace('Set it to', 'Start it at'), changes };
};
const breakEvenBelowCost: Check = (config, breakEven) => {
  const { floorArm, floor } = factorsOf(config);
  if (floorArm === 0 || floor >= breakEven) return undefined;
  return warn(
    'break-even-below-cost',
    'sell.breakEven.floorPercentage',
    'The floor is below the price that pays the fees: selling there loses a little.',
  );
};
const noExit: Check = (config) => {
  const { stop, trail, atr, trigger, floorArm } = factorsOf(config);
  const trails = atr > 0 ? trigger > 0 || config.sell.atrTrailing.fromEntry : trail > 0 && trigger > 0;
  if (!config.sell.enabled || stop > 0 || trails || floorArm > 0 || config.sell.timeStopBars > 0) return undefined;
  return warn('no-exit', 'sell.stopLossPercentage', 'No exit is set: set a stop loss, a trailing stop or a time stop.');
};
const trailInert: Check = (config) => {
  const { trigger, trail, atr } = factorsOf(config);
  const { fromEntry } = config.sell.atrTrailing;
  if (trigger > 0 || (trail === 0 && atr === 0) || (fromEntry && atr > 0)) return undefined;
  return warn(
    'trail-inert',
    'sell.triggerPercentage',
    'The trailing stop never starts: set where it starts, or let it trail from the first candle.',
  );
};
const triggerInert: Check = (config) => {
  const { trigger, trail, atr } = factorsOf(config);
  if (trigger === 0 || trail > 0 || atr > 0) return undefined;
  return warn('trigger-inert', 'sell.triggerPercentage', 'A start without a distance has no effect: set a distance.');
};
const fromEntryInert: Check = (config) => {
  const { fromEntry } = config.sell.atrTrailing;
  if (!fromEntry || factorsOf(config).atr > 0) return undefined;
  return warn(
    'from-entry-inert',
    'sell.atrTrailing.fromEntry',
    'Trailing from the first candle needs a distance in average true ranges.',
  );
};
const timeStopInert: Check = (config) => {
  const { fromEntry } = config.sell.atrTrailing;
  if (config.sell.timeStopBars === 0 || !fromEntry || factorsOf(config).atr === 0) return undefined;
  return info(
    'time-stop-inert',
    'sell.timeStopBars',
    'The trail starts with the first candle, so the time stop hardly ever applies.',
  );
};
const sellOffNaked: Check = ({ sell }) =>
  sell.enabled
    ? undefined
    : warn('sell-off-naked', 'sell.enabled', 'Selling is switched off: nothing protects a position.');

const levelsNotFalling: Check = (config) => {
  const { triggers } = factorsOf(config);
  return triggers.flatMap((trigger, i) =>
    i >= 2 && trigger >= (triggers[i - 1] ?? 0)
      ? [
          warn(
            'levels-not-falling',
            `buy.gridLevels.${i}.triggerPercentage`,
            'Does not buy lower than the level before it.',
          ),
        ]
      : [],
  );
};
const stopAboveLevel: Check = (config) => {
  const { stop, triggers } = factorsOf(config);
  return triggers.flatMap((trigger, i) =>
    i >= 1 && stop > 0 && stop >= trigger
      ? [
          warn(
            'stop-above-level',
            `buy.gridLevels.${i}.triggerPercentage`,
            'The stop loss sells before the price falls to this level.',
          ),
        ]
      : [],
  );
};

const candleLimitInert: Check = ({ buy }) =>
  buy.firstBuyTriggerBasis === 'immediate'
    ? info('candle-limit-inert', 'buy.candleLimit', 'An immediate first buy does not use the low.')
    : undefined;
const windowLowLoose: Check = (config) =>
  (factorsOf(config).triggers[0] ?? 1) > 1.02 && config.buy.firstBuyTriggerBasis === 'lowest-price'
    ? info('window-low-loose', 'buy.gridLevels.0.triggerPercentage', 'More than 2 % above the low is hardly a dip.')
    : undefined;
const amountInert: Check = ({ buy }) => {
  const named = buy.gridLevels.length > 0 && buy.gridLevels.every((each) => each.maxPurchaseAmount !== '');
  if (!named) return undefined;
  return info('amount-inert', 'buy.entrySizing.amount', 'Every level has its own amount, so this amount is not used.');
};
const dependsOnEquity: Check = ({ buy }) =>
  buy.entrySizing.mode === 'fixed'
    ? undefined
    : info(
        'sizing-depends-on-equity',
        'buy.entrySizing.mode',
        'The budget depends on the equity, so it cannot be checked against the minimum order value now.',
      );
const atrShadowsPercent: Check = (config) => {
  const { atr, trail } = factorsOf(config);
  if (atr === 0 || trail === 0) return undefined;
  return info(
    'atr-shadows-percent',
    'sell.trailingStopPercentage',
    'The distance in average true ranges replaces this setting, except while there are too few candles.',
  );
};

const partsBelowCost: Check = ({ sell }, breakEven) =>
  sell.takeProfits.flatMap(({ triggerPercentage }, i) => {
    const exit = readFactor(triggerPercentage);
    const costs = { path: `sell.takeProfits.${i}.triggerPercentage`, setting: exit, exit, breakEven };
    if (exit >= breakEven) return feesFinding(costs) ?? [];
    const message = 'Is below the price that pays the fees: this part is sold at a loss.';
    return [{ ...warn('part-below-cost', costs.path, message), fix: exitFix(costs) }];
  });
const trailWithoutRest: Check = ({ sell: { takeProfits } }) => {
  const sold = takeProfits.reduce((sum, { fraction }) => sum + readFactor(fraction), 0);
  if (sold < 1 - 1e-9) return undefined;
  const path = `sell.takeProfits.${takeProfits.length - 1}.fraction`;
  return info(
    'trail-without-rest',
    path,
    'The partial sales sell the whole position: nothing is left for the trailing stop.',
  );
};

const partBeyondTrail: Check = (config) => {
  const { trigger, trail, atr } = factorsOf(config);
  if (trigger === 0 || (trail === 0 && atr === 0)) return undefined;
  return config.sell.takeProfits.flatMap(({ triggerPercentage }, i) =>
    readFactor(triggerPercentage) > trigger
      ? [
          info(
            'rung-beyond-trail',
            `sell.takeProfits.${i}.triggerPercentage`,
            'Is above the start of the trailing stop, which may sell everything before.',
          ),
        ]
      : [],
  );
};
const protectiveInert: Check = (config) => {
  const { stop, trail, atr, floorArm } = factorsOf(config);
  const { enabled, protectiveStop } = config.sell;
  if (!enabled || !protectiveStop.enabled || stop > 0 || trail > 0 || atr > 0 || floorArm > 0) return undefined;
  return info(
    'protective-inert',
    'sell.protectiveStop.enabled',
    'No stop, floor or trail is set, so there is nothing to keep on the exchange.',
  );
};
const restTargetInert: Check = ({ sell }) => {
  if (!sell.restTarget) return undefined;
  const sold = sell.takeProfits.reduce((sum, { fraction }) => sum + readFactor(fraction), 0);
  const path = 'sell.restTarget';
  if (!sell.protectiveStop.enabled)
    return warn(
      'rest-target-inert',
      path,
      'A target rests only next to a stop on the exchange, which is switched off.',
    );
  if (sold >= 1 - 1e-9) return undefined;
  return info(
    'rest-target-inert',
    path,
    'The partial sales leave a rest, so no price sells everything and no target rests.',
  );
};
const breakEvenInert: Check = (config) => {
  const { trigger, trail, atr, floorArm, floor } = factorsOf(config);
  if (floorArm === 0 || trigger === 0 || atr > 0 || floorArm < trigger || trigger * trail < floor) return undefined;
  return info(
    'break-even-inert',
    'sell.breakEven.armAtPercentage',
    'When this floor starts, the trailing stop already sells above it.',
  );
};

/** Amount of a level; null when it depends on the equity. */
function spendOf({ buy }: Config, level: number): number | null {
  const own = readFactor(buy.gridLevels[level]?.maxPurchaseAmount ?? '');
  if (own > 0) return own;
  if (buy.entrySizing.mode !== 'fixed') return null;
  return readFactor(buy.entrySizing.amount) / Math.max(1, buy.gridLevels.length);
}
const levelNeverBought: Check = (config) =>
  config.buy.gridLevels.flatMap(({ minPurchaseAmount }, i) => {
    const spend = spendOf(config, i);
    if (spend === null || readFactor(minPurchaseAmount) <= spend) return [];
    const message = 'Is above the amount of this level, so the level never buys.';
    return [warn('level-never-bought', `buy.gridLevels.${i}.minPurchaseAmount`, message)];
  });
const capBelowBudget: Check = (config) => {
  const { gridLevels, maxSymbolExposureQuote } = config.buy;
  const spends = Array.from({ length: Math.max(1, gridLevels.length) }, (_, i) => spendOf(config, i) ?? 0);
  return capFindings(
    maxSymbolExposureQuote,
    spends.reduce((sum, spend) => sum + spend, 0),
    'buy.maxSymbolExposureQuote',
  );
};

const CHECKS: readonly Check[] = [
  trailBelowCost,
  breakEvenBelowCost,
  noExit,
  trailInert,
  triggerInert,
  fromEntryInert,
  timeStopInert,
  sellOffNaked,
  levelsNotFalling,
  stopAboveLevel,
  candleLimitInert,
  windowLowLoose,
  amountInert,
  dependsOnEquity,
  atrShadowsPercent,
  partsBelowCost,
  partBeyondTrail,
  trailWithoutRest,
  protectiveInert,
  restTargetInert,
  breakEvenInert,
  levelNeverBought,
  capBelowBudget,
];

/** Warnings about valid settings without effect, with contradictions, or that lose money. `takerFee`: such as 0.001. */
export function lint(config: Config, takerFee: number): readonly Finding[] {
  const breakEven = breakEvenOf({ takerFee });
  return [
    ...CHECKS.flatMap((check) => check(config, breakEven) ?? []),
    ...executionFindings(config.execution),
    ...gateFindings(config, true),
  ];
}
