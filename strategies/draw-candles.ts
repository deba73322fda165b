import { toNumber } from '#core/amount/decimal.ts';
import type { Candle } from '#core/market/candle.ts';
import type { SymbolRules } from '#core/market/symbol.ts';
import type { Side } from '#core/order/order.ts';
import { FLAT, type Position } from '#core/position/position.ts';
import { openView, viewPosition } from '#core/judge/view.ts';
import { type BoundStrategy, gridOf, type StrategyInstance } from './strategy.ts';

/** A change of the position: a fill of `order`, or an adjustment of the average price. */
export interface PositionStep {
  readonly atMs: number;
  readonly side: Side;
  /** Fills of one buy order count as one buy level. */
  readonly order: string;
  readonly fold: (position: Position) => Position;
}

/** One value for each candle, in quote prices unless the line has a pane; null where the line has a gap. */
export type LineValues = readonly (number | null)[];

interface DrawInput {
  readonly bound: BoundStrategy;
  readonly rules: SymbolRules;
  /** On the interval of the strategy, oldest first; the last one may be open. */
  readonly candles: readonly Candle[];
  /** In the order of their fills, from a flat position on. */
  readonly steps: readonly PositionStep[];
}

/**
 * The lines of a strategy over candles: the strategy itself processes them, with the fills as they happened. It sees the
 * high of each candle before its close, so that a trailing stop starts in the candle that reached its start.
 */
export function drawCandles({ bound, rules, candles, steps }: DrawInput): ReadonlyMap<string, LineValues> {
  const lines = bound.drawings?.lines ?? [];
  const values = new Map<string, (number | null)[]>(lines.map(({ name }) => [name, []]));
  const instance = bound.create(gridOf(rules));
  if (instance.draw === undefined || lines.length === 0) return values;
  const replay = openReplay({ bound, rules, instance, steps });
  for (const candle of candles) {
    const during = replay.during(candle);
    const atClose = replay.close(candle);
    for (const { name, from } of lines) values.get(name)?.push((from === 'open' ? during : atClose)[name] ?? null);
  }
  return values;
}

type Values = Readonly<Record<string, number>>;

interface ReplayInput extends Pick<DrawInput, 'bound' | 'rules' | 'steps'> {
  readonly instance: StrategyInstance;
}

function openReplay({ bound, rules, instance, steps }: ReplayInput) {
  const tick = toNumber(rules.price.tick);
  const view = openView(undefined, bound.readable);
  const bought = new Set<string>();
  let position = FLAT;
  let next = 0;
  const apply = (step: PositionStep): void => {
    position = step.fold(position);
    if (position.firstBuyAt === null) bought.clear();
    else if (step.side === 'buy') bought.add(step.order);
    viewPosition(view, { position, levels: [], rules, terms: bound.shared, baseFeeRate: () => 0 });
    view.target = view.sellable ? bought.size : 0;
    instance.onFill(step.side, view);
  };
  const drawAt = (price: number): Values => {
    view.price = Math.round(price / tick);
    if (view.sellable) instance.decide(view);
    return instance.draw?.(view) ?? {};
  };
  return {
    /** Values in force during the candle; those before a sale, and those after a first buy. */
    during({ closeMs, high }: Candle): Values {
      view.nowMs = closeMs - 1;
      const before = drawAt(high);
      const wasHeld = view.sellable;
      for (let step = steps[next]; step !== undefined && step.atMs < closeMs; step = steps[next]) {
        apply(step);
        next += 1;
      }
      return !wasHeld && view.sellable ? { ...before, ...drawAt(high) } : before;
    },
    /** Values after its close; none while it is open. */
    close(candle: Candle): Values {
      if (!candle.closed) return {};
      view.nowMs = candle.closeMs;
      view.price = Math.round(candle.close / tick);
      instance.onCandle(candle, view);
      return instance.draw?.(view) ?? {};
    },
  };
}
