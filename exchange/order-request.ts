import { formatDecimal } from '#core/amount/decimal.ts';
import type { OrderDraft } from '#core/order/order.ts';
import type { PlaceRequest } from '#core/ports/exchange.ts';
import type { RequestPriority } from './limits.ts';
import type { Gate, SignedLink } from './signed-call.ts';
import type { Params } from './signing.ts';

export function priorityOf(order: Pick<OrderDraft, 'purpose' | 'side'>): RequestPriority {
  return order.purpose === 'entry' || (order.purpose === 'manual' && order.side === 'buy') ? 'entry' : 'exit';
}

/** The request parameters of an order; exact decimal text, never an exponent. */
export function orderParams(order: OrderDraft, clientOrderId: string): Params {
  const base = {
    symbol: order.symbol,
    side: order.side === 'buy' ? 'BUY' : 'SELL',
    quantity: formatDecimal(order.quantity),
    newClientOrderId: clientOrderId,
    newOrderRespType: 'FULL',
  };
  switch (order.form.type) {
    case 'market':
      return { ...base, type: 'MARKET' };
    case 'limit':
      if (order.form.maker === true) return { ...base, type: 'LIMIT_MAKER', price: formatDecimal(order.form.price) };
      return { ...base, type: 'LIMIT', timeInForce: 'GTC', price: formatDecimal(order.form.price) };
    case 'stop-loss-limit': {
      const prices = { price: formatDecimal(order.form.price), stopPrice: formatDecimal(order.form.stopPrice) };
      return { ...base, type: 'STOP_LOSS_LIMIT', timeInForce: 'GTC', ...prices };
    }
    case 'stop-loss':
      return { ...base, type: 'STOP_LOSS', stopPrice: formatDecimal(order.form.stopPrice) };
    case 'trailing-stop':
      return { ...base, type: 'STOP_LOSS', trailingDelta: String(order.form.deltaBips) };
  }
}

/** The gate of an order: refuses to sign under a halt, or after `sendBeforeMs`. Step 5 in engine/tick/execute.ts. */
export const gateOf =
  ({ halted, sendBeforeMs }: Pick<PlaceRequest, 'halted' | 'sendBeforeMs'>): Gate =>
  (timestampMs) => {
    if (halted()) return 'halted';
    return timestampMs > sendBeforeMs ? 'not-sent-in-time' : undefined;
  };

/** Waiting for the limiter is pointless after the last moment at which the request may be signed. */
export const waitMsOf = (link: SignedLink, { sendBeforeMs }: Pick<PlaceRequest, 'sendBeforeMs'>): number =>
  Math.max(0, sendBeforeMs - link.clock.protocolMs());
