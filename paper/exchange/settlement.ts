import { add, type Decimal, multiply, subtract, ZERO } from '#core/amount/decimal.ts';
import type { SymbolRules } from '#core/market/symbol.ts';
import { ceil8, commissionOn, type FeeContext, truncate8 } from './commission.ts';
import { type Fill, isOpen, type NewOrder, type Order, remainingOf } from './order.ts';
import type { OrderSide } from '#paper/market/order-types.ts';
import { FEES_OWNER, MARKET_OWNER, type Balances } from './balances.ts';

/** The asset that an order pays with. */
export const paidAsset = (side: OrderSide, rules: SymbolRules): string =>
  side === 'BUY' ? rules.quoteAsset : rules.baseAsset;

/**
 * The amount that a limit order must keep locked. Buy: price times the remainder, in quote. Sell: the remainder, in
 * base.
 */
export const lockFor = (order: Pick<NewOrder, 'side' | 'price'>, rest: Decimal): Decimal =>
  order.side === 'BUY' ? ceil8(multiply(order.price, rest)) : rest;

/** True for a buy at any price: it has no price of its own to lock money for. */
export const isUnpriced = ({ side, price }: Pick<NewOrder, 'side' | 'price'>): boolean =>
  side === 'BUY' && price === ZERO;

export interface Execution {
  readonly tradeId: number;
  readonly price: Decimal;
  readonly quantity: Decimal;
  readonly maker: boolean;
  /** True if no quantity is left but the quote amount is not used up: the order does not count as filled. */
  readonly short: boolean;
  readonly atMs: number;
}

/**
 * Books one execution of an order. It pays from the locked amount, receives the other asset less commission, and
 * updates the order. It unlocks the amount that is no longer needed. The counterparty settles against the same market
 * balance.
 */
export function settle(
  order: Order,
  execution: Execution,
  context: FeeContext & { readonly rules: SymbolRules },
): Fill {
  const { rules, balances } = context;
  const quote = truncate8(multiply(execution.price, execution.quantity));
  const isBuy = order.side === 'BUY';
  const paid = isBuy ? quote : execution.quantity;
  const received = isBuy ? execution.quantity : quote;
  const receivedAsset = isBuy ? rules.baseAsset : rules.quoteAsset;
  balances.pay({ from: order.account, to: MARKET_OWNER, asset: paidAsset(order.side, rules), amount: paid });
  balances.move({ from: MARKET_OWNER, to: order.account, asset: receivedAsset, amount: received });
  const fee = commissionOn({ asset: receivedAsset, amount: received }, execution.maker, context);
  balances.move({ from: order.account, to: FEES_OWNER, ...fee });
  order.locked = subtract(order.locked, paid);
  order.executed = add(order.executed, execution.quantity);
  order.executedQuote = add(order.executedQuote, quote);
  order.status = remainingOf(order) === 0n && !execution.short ? 'FILLED' : 'PARTIALLY_FILLED';
  order.updatedMs = execution.atMs;
  releaseUnneeded(order, rules, balances);
  return {
    id: execution.tradeId,
    account: order.account,
    symbol: order.symbol,
    orderId: order.id,
    listId: order.listId,
    side: order.side,
    price: execution.price,
    quantity: execution.quantity,
    quote,
    commission: fee.amount,
    commissionAsset: fee.asset,
    atMs: execution.atMs,
    maker: execution.maker,
  };
}

/** Unlocks the amount that the order's remainder does not need; everything once the order is closed. */
export function releaseUnneeded(order: Order, rules: SymbolRules, balances: Balances): void {
  const rest = isOpen(order) ? remainingOf(order) : ZERO;
  const needed = isUnpriced(order) && rest > 0n ? order.locked : lockFor(order, rest);
  const surplus = subtract(order.locked, needed);
  if (surplus <= 0n) return;
  balances.unlock(order.account, paidAsset(order.side, rules), surplus);
  order.locked = needed;
}
