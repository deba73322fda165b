import type { Decision, Numbers } from '#core/decision/decision.ts';
import { divide, formatDecimal, fromSteps, ONE } from '#core/amount/decimal.ts';
import type { TickView } from '#core/judge/view.ts';
import { barsSince } from '#strategies/execution.ts';
import { readSetting } from '#strategies/fields.ts';
import { awayText, percentText, priceText, profitText, quantityText } from '#strategies/grid-text.ts';
import type { Grid } from '#strategies/strategy.ts';
import { type Config, MAX_WINDOW } from './config.ts';
import { REASONS, type ReasonCode } from './reasons.ts';
import { barsHeld, firstBuyNeed, type StrategyContext } from './rules.ts';

interface Subject {
  readonly context: StrategyContext;
  readonly config: Config;
  readonly grid: Grid;
  readonly view: TickView;
}

type Explainer = (subject: Subject) => Numbers;

const position: Explainer = ({ context, grid, view }) => ({
  avg: priceText(view.avgTicks, grid),
  lots: quantityText(view.lots, grid),
  nextBuy: priceText(context.levels.addLimit, grid),
});

/** A level by its name, with the distance of one of them as `away`. */
const levelsOf =
  (names: readonly ('stop' | 'arm' | 'floor' | 'floorArm')[], away: 'stop' | 'arm' | 'floor' | 'floorArm'): Explainer =>
  (subject) => {
    const { context, grid, view } = subject;
    const texts: Record<string, string | null> = {};
    for (const name of names) texts[name] = priceText(context.levels[name], grid);
    return {
      ...position(subject),
      ...texts,
      away: awayText(context.levels[away], view.price),
      stopAway: awayText(context.levels.stop, view.price),
    };
  };

const trailing: Explainer = ({ context: { memory, levels }, grid, view }) => ({
  avg: priceText(view.avgTicks, grid),
  high: priceText(memory.high, grid),
  trailStop: priceText(memory.trailStop, grid),
  stop: priceText(levels.stop, grid),
  away: awayText(memory.trailStop, view.price),
  nextRung: priceText(levels.rung.ticks, grid),
});

const bars: Explainer = ({ context, view }) => ({
  bars: barsHeld(context, view),
  timeStopBars: context.params.timeStopBars,
});

const exit =
  (rule: string, threshold: (subject: Subject) => number): Explainer =>
  (subject) => {
    const { grid, view } = subject;
    const sale = { lots: view.lots, price: view.price, avgTicks: view.avgTicks, fee: view.takerFee };
    return {
      rule,
      threshold: priceText(threshold(subject), grid),
      ...position(subject),
      estPnl: profitText(sale, grid),
    };
  };

const takeProfit = exit('partial sale', ({ context }) => context.levels.rung.ticks);
const timeStop = exit('time stop', ({ view }) => view.price);

/** Amount of a level, or its share of a fixed amount; null when it depends on the equity, which only the engine knows. */
function spendOf({ buy }: Config, level: number): string | null {
  const spend = buy.gridLevels[level]?.maxPurchaseAmount ?? '';
  if (spend !== '') return spend;
  const amount = readSetting(buy.entrySizing.amount);
  if (buy.entrySizing.mode !== 'fixed' || amount === null) return null;
  return formatDecimal(divide(amount, fromSteps(Math.max(1, buy.gridLevels.length), ONE)));
}

const nextLevel: Explainer = ({ context: { levels }, config, grid, view }) => ({
  ...(view.avgTicks > 0 ? { avg: priceText(view.avgTicks, grid) } : {}),
  level: view.target,
  limit: priceText(levels.addLimit, grid),
  away: awayText(levels.addLimit, view.price),
  budget: spendOf(config, view.target),
});

const firstBuy: Explainer = ({ context, config, grid, view }) => {
  const { params, memory, levels } = context;
  const { candleLimit } = config.buy;
  const numbers = {
    windowLow: priceText(memory.window.low(), grid),
    limit: priceText(levels.entryLimit, grid),
    trigger: percentText(params.entryTrigger),
    window: params.window,
    level: 0,
    budget: spendOf(config, 0),
    away: awayText(levels.entryLimit, view.price),
  };
  return candleLimit > MAX_WINDOW ? { ...numbers, storedLimit: candleLimit } : numbers;
};

const nothing: Explainer = () => ({});

const waitingBuy: Explainer = ({ context: { memory, params }, grid, view: { waiting } }) =>
  waiting === null
    ? { limit: null }
    : {
        level: waiting.level,
        limit: priceText(waiting.limit, grid),
        stop: priceText(waiting.stop, grid),
        bars: barsSince(waiting.placedMs, memory.lastOpenMs, params.intervalMs),
      };

/** The numbers behind each reason. All include the price. */
const NUMBERS: Readonly<Record<ReasonCode, Explainer>> = {
  'hold-below-arm': levelsOf(['arm', 'stop'], 'arm'),
  'hold-trail-armed': trailing,
  'hold-trail-pending': levelsOf(['stop'], 'stop'),
  'hold-break-even-armed': levelsOf(['floor', 'arm', 'stop'], 'arm'),
  'hold-above-floor': levelsOf(['floor', 'stop'], 'floor'),
  'hold-below-floor-arm': levelsOf(['floorArm'], 'floorArm'),
  'hold-until-time-stop': bars,
  'hold-above-stop': levelsOf(['stop'], 'stop'),
  'hold-no-exit': position,
  'hold-sell-disabled': position,
  'hold-exit-order-open': position,
  'exit-stop-loss': exit('stop loss', ({ context }) => context.levels.stop),
  'exit-break-even': exit('break-even floor', ({ context }) => context.levels.floor),
  'exit-trail': exit('trailing stop', ({ context }) => context.memory.trailStop),
  'exit-take-profit': (subject) => ({
    ...takeProfit(subject),
    part: quantityText(subject.context.memory.rungLots, subject.grid),
  }),
  'exit-rating': exit('rating', ({ context }) => context.levels.cost),
  'exit-regime': exit('daily trend', ({ view }) => view.price),
  'exit-time-stop': (subject) => ({ ...timeStop(subject), ...bars(subject) }),
  'entry-disabled': nothing,
  'entry-config-unreadable': () => ({ path: null }),
  'order-entry-open': waitingBuy,
  'order-entry-timeout': waitingBuy,
  'order-entry-condition-gone': waitingBuy,
  'entry-grid-complete': ({ context, grid, view }) => ({
    levels: context.params.levels,
    avg: priceText(view.avgTicks, grid),
  }),
  'entry-history-short': ({ context }) => ({ have: context.memory.window.count(), need: firstBuyNeed(context.params) }),
  'entry-above-window-low': firstBuy,
  'entry-rsi-high': ({ context, config }) => ({
    rsi: context.memory.rsi?.value.toFixed(2) ?? null,
    max: config.buy.indicatorGate.rsiMaxBuy,
  }),
  'entry-above-level': nextLevel,
  'entry-add': nextLevel,
  'entry-immediate': ({ config }) => ({ level: 0, budget: spendOf(config, 0) }),
  'entry-first': firstBuy,
};

const isReason = (code: string): code is ReasonCode => Object.hasOwn(REASONS, code);

/** The numbers behind a decision, computed on demand. */
export function explain(subject: Subject, decision: Decision): Numbers {
  const price = priceText(subject.view.price, subject.grid);
  return isReason(decision.reason) ? { price, ...NUMBERS[decision.reason](subject) } : { price };
}
