import type { ListedSignal } from '#core/order/signal-list.ts';
import type { TickSignal } from '#core/judge/view.ts';
import type { BoundStrategy, StrategyInstance } from '#strategies/strategy.ts';

/** A live signal needs this long until its coin decides. */
const DELIVERY_MS = 2_000;
/** A signal that an order in flight keeps waiting is dropped after this time, as an inlet does by default. */
const MAX_AGE_MS = 60_000;

/**
 * The strategy with recorded signals. A signal is seen at the first decision that is at least two seconds after its time; with
 * candles, that is the close of the first candle that ends after them. Of several between two decisions, the newest counts.
 */
export function withSignals(bound: BoundStrategy, signals: readonly ListedSignal[], symbol: string): BoundStrategy {
  const own = signals.filter((each) => each.symbol === symbol).toSorted((a, b) => a.atMs - b.atMs);
  return { ...bound, create: (grid, state) => feeding(bound.create(grid, state), own) };
}

function feeding(instance: StrategyInstance, signals: readonly ListedSignal[]): StrategyInstance {
  let next = 0;
  let waiting: ListedSignal | null = null;
  let decided: TickSignal | null = null;
  const seenAt = (nowMs: number): TickSignal | null => {
    if (waiting !== null && nowMs - waiting.atMs > MAX_AGE_MS) waiting = null;
    for (let one = signals[next]; one !== undefined && one.atMs + DELIVERY_MS <= nowMs; one = signals[next]) {
      waiting = one;
      next += 1;
    }
    if (waiting === null) return null;
    const { action, key, atMs } = waiting;
    return { action, key, inlet: 'the list', ageMs: nowMs - atMs };
  };
  return {
    ...instance,
    decide(view) {
      decided = seenAt(view.nowMs);
      view.signal = decided;
      const decision = instance.decide(view);
      view.signal = null;
      if (decision.answersSignal === true) waiting = null;
      return decision;
    },
    explain(decision, view) {
      view.signal = decided;
      const numbers = instance.explain(decision, view);
      view.signal = null;
      return numbers;
    },
  };
}
