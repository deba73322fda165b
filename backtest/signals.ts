import { INTERVAL_MS } from '#core/market/candle.ts';
import type { ListedSignal } from '#core/order/signal-list.ts';
import type { TickSignal } from '#core/judge/view.ts';
import type { StrategyInstance } from '#strategies/strategy.ts';
import type { Series } from './columns.ts';
import type { KernelInput } from './run-state.ts';

interface Listed extends Pick<KernelInput, 'rules' | 'signals'> {
  readonly detail: Pick<Series, 'interval'>;
}

/** A live signal needs this long until its coin decides. */
const DELIVERY_MS = 2_000;
/** A signal is dropped after this time, as by default at an inlet, or after the candle in which it came. */
const MAX_AGE_MS = 60_000;

/**
 * An instance that sees recorded signals. A signal is seen at the first decision that is at least two seconds after its time;
 * with candles, that is the close of the first candle that ends after them. Of several between two decisions, the newest
 * counts.
 */
export function withSignals(instance: StrategyInstance, { signals: all, rules, detail }: Listed): StrategyInstance {
  if (all === undefined) return instance;
  const signals = all.filter(({ symbol }) => symbol === rules.symbol).toSorted((one, two) => one.atMs - two.atMs);
  const mostMs = Math.max(MAX_AGE_MS, INTERVAL_MS[detail.interval] + DELIVERY_MS);
  let next = 0;
  let waiting: ListedSignal | null = null;
  const seenAt = (nowMs: number): TickSignal | null => {
    for (let one = signals[next]; one !== undefined && one.atMs + DELIVERY_MS <= nowMs; one = signals[next]) {
      waiting = one;
      next += 1;
    }
    if (waiting !== null && nowMs - waiting.atMs > mostMs) waiting = null;
    if (waiting === null) return null;
    const { action, key, atMs } = waiting;
    return { action, key, inlet: 'the list', ageMs: nowMs - atMs };
  };
  return {
    ...instance,
    decide(view) {
      view.signal = seenAt(view.nowMs);
      const decision = instance.decide(view);
      view.signal = null;
      if (decision.answersSignal === true) waiting = null;
      return decision;
    },
  };
}
