import type { ExchangeOrder, WriteOutcome } from '#core/ports.ts';
import { ExchangeError, isDefinitiveRejection } from './errors.ts';

/** Throws when a success speaks of another order than was meant: it proves nothing about ours. */
export function requireOwn(order: ExchangeOrder, symbol: string, clientOrderId: string): void {
  if (order.symbol === symbol && order.clientOrderId === clientOrderId) return;
  throw new ExchangeError(
    `The exchange answered with order ${order.clientOrderId} of ${order.symbol} where ${clientOrderId} of ${symbol} was meant.`,
    { reason: 'unreadable', status: 200, code: null, payload: null },
  );
}

export const isReason = (error: unknown, reason: ExchangeError['reason']): boolean =>
  error instanceof ExchangeError && error.reason === reason;

/** Whatever is not a definitive rejection is unknown, faults of this program after the send included. */
export function failureOf(error: unknown): WriteOutcome {
  if (!(error instanceof ExchangeError)) {
    return {
      kind: 'unknown',
      cause: `The reply could not be processed (${error instanceof Error ? error.name : ''}).`,
    };
  }
  if (error.code === null || !isDefinitiveRejection(error)) return { kind: 'unknown', cause: error.message };
  const rejected = { kind: 'rejected', code: error.code, message: error.message, payload: error.payload } as const;
  return error.reason === 'market-closed' ? { ...rejected, marketClosed: true } : rejected;
}
