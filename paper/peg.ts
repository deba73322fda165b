import { type Decimal, ZERO } from '#core/decimal.ts';
import type { Floor } from './floor.ts';
import { isStop, type NewOrder } from './order.ts';
import { bookOf } from './orders.ts';
import { type Refusal, rejected, THIN_FOR_PEG } from './refusal.ts';
import { depthOf } from './taker.ts';

/** The price of the level a pegged order is to work at; undefined when the book has no such level. */
export function pegPrice(
  floor: Floor,
  { symbol, side, peg }: Pick<NewOrder, 'symbol' | 'side' | 'peg'>,
): Decimal | undefined {
  const depth = peg?.offset ?? 0;
  const { bids, asks } = depthOf(bookOf(floor.orders, symbol), floor.market(symbol), depth + 1);
  const ownSide = peg?.priceType === 'PRIMARY_PEG';
  return (ownSide === (side === 'BUY') ? bids : asks)[depth]?.price;
}

/** The order with the price it works at; a stop is pegged when it fires, any other order when it is placed. */
export function pegged(floor: Floor, request: NewOrder): NewOrder | Refusal {
  if (request.peg === null || isStop(request.type)) return request;
  const price = pegPrice(floor, request);
  return price === undefined ? rejected(THIN_FOR_PEG) : { ...request, price };
}

/** The price an order was sent with; what a pegged order works at is another. */
export const sentPrice = (order: Pick<NewOrder, 'price' | 'peg'>): Decimal => order.peg?.sent ?? order.price;

/** True while a buy has no price of its own to lock money for. */
export const isUnpriced = ({ side, price }: Pick<NewOrder, 'side' | 'price'>): boolean =>
  side === 'BUY' && price === ZERO;
