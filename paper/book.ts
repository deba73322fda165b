import { type Decimal, minimum, subtract } from '#core/decimal.ts';
import { isStop, type Order, remainingOf, shownOf } from './order.ts';

/** The clients' own resting orders of one coin: price first, then arrival. Waiting stops stand apart. */
export interface Book {
  readonly bids: readonly Order[];
  readonly asks: readonly Order[];
  readonly stops: readonly Order[];
  /** Stops that a trade has fired and that do not work yet. */
  readonly fired: Order[];
  add(order: Order): void;
  remove(order: Order): void;
  isEmpty(): boolean;
}

export function openBook(): Book {
  const bids: Order[] = [];
  const asks: Order[] = [];
  const stops: Order[] = [];
  const sideOf = (order: Order): Order[] => (order.side === 'BUY' ? bids : asks);
  const waits = (order: Order): boolean => isStop(order.type) && !order.working;
  return {
    bids,
    asks,
    stops,
    fired: [],
    add: (order) => {
      if (waits(order)) stops.push(order);
      else sideOf(order).splice(firstBehind(sideOf(order), order), 0, order);
    },
    remove: (order) => {
      const list = waits(order) ? stops : sideOf(order);
      const at = waits(order) ? list.indexOf(order) : placeOf(list, order);
      if (at >= 0) list.splice(at, 1);
    },
    isEmpty: () => bids.length + asks.length + stops.length === 0,
  };
}

const isBetter = (order: Order, other: Order): boolean =>
  order.side === 'BUY' ? order.price > other.price : order.price < other.price;

/** The index of the first order that comes after `order`: behind all of its own price. */
function firstBehind(list: readonly Order[], order: Order): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = list[middle];
    if (other !== undefined && !isBetter(order, other)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function placeOf(list: readonly Order[], order: Order): number {
  for (let at = firstBehind(list, order) - 1; at >= 0 && list[at]?.price === order.price; at--)
    if (list[at] === order) return at;
  return -1;
}

/** A part of a resting order, as it comes up for matching. */
export interface Slice {
  readonly order: Order;
  readonly quantity: Decimal;
}

/**
 * The orders of one side as they would be matched. An iceberg offers the slice it shows; the next slice stands behind
 * all others of its price.
 */
export function* slicesOf(list: readonly Order[]): Generator<Slice> {
  let hidden: Slice[] = [];
  for (const order of list) {
    if (hidden[0] !== undefined && hidden[0].order.price !== order.price) {
      yield* hiddenSlices(hidden);
      hidden = [];
    }
    const quantity = shownOf(order);
    yield { order, quantity };
    if (order.icebergQuantity > 0n) hidden.push({ order, quantity: subtract(remainingOf(order), quantity) });
  }
  yield* hiddenSlices(hidden);
}

function* hiddenSlices(queue: Slice[]): Generator<Slice> {
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const quantity = minimum(next.order.icebergQuantity, next.quantity);
    if (quantity <= 0n) continue;
    yield { order: next.order, quantity };
    queue.push({ order: next.order, quantity: subtract(next.quantity, quantity) });
  }
}
