import type { WriteOutcome } from '#core/ports/exchange.ts';
import type { ExchangeOrder } from '#core/order/exchange-order.ts';
import { ExchangeError, isDefinitiveRejection, isKeyRefusal } from './errors.ts';

/** Throws when a successful reply is about another order: it proves nothing about ours. */
export function requireOwn(order: ExchangeOrder, symbol: string, clientOrderId: string): void {
  if (order.symbol === symbol && order.clientOrderId === clientOrderId) return;
  throw new ExchangeError(
    `The exchange answered with order ${order.clientOrderId} of ${order.symbol} instead of ${clientOrderId} of ${symbol}.`,
    { reason: 'unreadable', status: 200, code: null, payload: null },
  );
}

export const isReason = (error: unknown, reason: ExchangeError['reason']): boolean =>
  error instanceof ExchangeError && error.reason === reason;

/** Everything but a definitive rejection is unknown, including errors of this program after the send. */
export function failureOf(error: unknown): WriteOutcome {
  if (!(error instanceof ExchangeError)) {
    return {
      kind: 'unknown',
      cause: `The reply could not be processed (${error instanceof Error ? error.name : ''}).`,
    };
  }
  if (error.code === null || !isDefinitiveRejection(error)) return { kind: 'unknown', cause: error.message };
  const rejected = { kind: 'rejected', code: error.code, message: error.message, payload: error.payload } as const;
  const doubts = doubtsOf(error);
  return doubts === undefined ? rejected : { ...rejected, doubts };
}

const TOO_PRECISE = -1111;

/** A filter or a trading status that refuses an order allowed by the known rules means that the rules have changed. */
function doubtsOf(error: ExchangeError): 'rules' | 'key' | undefined {
  if (isKeyRefusal(error)) return 'key';
  const { reason, code } = error;
  return reason === 'market-closed' || reason === 'filter' || code === TOO_PRECISE ? 'rules' : undefined;
}
