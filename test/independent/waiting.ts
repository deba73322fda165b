import { down, fraction, larger, minus, ONE, over, smaller, times, up } from './fraction.ts';
import type { Settings } from './settings.ts';
import type { Form, WaitingBuy } from './strategy.ts';

const DRIFT = fraction(999n, 1000n);

/** How buys are sent. */
interface Queue {
  readonly mode: string;
  readonly offsetBps: number;
  readonly timeoutBars: number;
}

export const queueOf = (settings: Settings): Queue => ({
  mode: settings.text('execution.entryMode', 'market'),
  offsetBps: settings.count('execution.makerOffsetBps', 0),
  timeoutBars: settings.count('execution.entryTimeoutBars', 3),
});

/** Null for a buy at the market. */
export function queued({ mode, offsetBps }: Queue, price: bigint): Form | null {
  if (mode !== 'maker') return null;
  const share = minus(ONE, over(fraction(BigInt(offsetBps)), fraction(10_000n)));
  const limit = smaller(down(times(fraction(price), share)), price - 1n);
  return { limit: larger(limit, 1n), trigger: 0n };
}

/** A buy that follows the price down. */
export function following(level: Settings, price: bigint): Form | null {
  const [stop, limit] = [level.amount('stopPricePercentage', ''), level.amount('limitPricePercentage', '')];
  if (stop.n === 0n || limit.n === 0n) return null;
  const trigger = larger(up(times(fraction(price), stop)), price + 1n);
  return { trigger, limit: larger(up(times(fraction(price), limit)), trigger) };
}

export const followsDown = (waiting: WaitingBuy, form: Form): boolean =>
  !waiting.touched && form.trigger <= down(times(fraction(waiting.trigger), DRIFT));

export const isLate = (
  { timeoutBars }: Queue,
  placedMs: number,
  { closeMs, intervalMs }: { readonly closeMs: number; readonly intervalMs: number },
): boolean => timeoutBars > 0 && Math.floor(closeMs / intervalMs) - Math.floor(placedMs / intervalMs) >= timeoutBars;
