import { add, type Decimal, minimum, subtract, ZERO } from '#core/amount/decimal.ts';
import { isStop, type Order, remainingOf, shownOf } from './order.ts';

/** One price level of one side, its orders by arrival. */
interface PriceLevel {
  readonly price: Decimal;
  readonly orders: ReadonlySet<Order>;
}

/** The resting orders of clients in one coin, best price first. Waiting stops are kept separately. */
export interface Book {
  readonly bids: readonly PriceLevel[];
  readonly asks: readonly PriceLevel[];
  readonly stops: ReadonlySet<Order>;
  /** Stops that a trade has triggered and that do not work yet. */
  readonly fired: Set<Order>;
  add(order: Order): void;
  remove(order: Order): void;
  /** The orders at one price; undefined if there are none. */
  levelAt(at: Pick<Order, 'side' | 'price'>): PriceLevel | undefined;
  isEmpty(): boolean;
}

type Level = PriceLevel & { readonly orders: Set<Order> };

export function openBook(): Book {
  const bids: Level[] = [];
  const asks: Level[] = [];
  const stops = new Set<Order>();
  const sideOf = (order: Pick<Order, 'side'>): Level[] => (order.side === 'BUY' ? bids : asks);
  const waits = (order: Order): boolean => isStop(order.type) && !order.working;
  return {
    bids,
    asks,
    stops,
    fired: new Set(),
    add: (order) => {
      if (waits(order)) stops.add(order);
      else levelFor(sideOf(order), order).orders.add(order);
    },
    remove: (order) => {
      if (stops.delete(order) || waits(order)) return;
      const at = placeOf(sideOf(order), order);
      const level = sideOf(order)[at];
      if (level?.price === order.price && level.orders.delete(order) && level.orders.size === 0)
        sideOf(order).splice(at, 1);
    },
    levelAt: (at) => {
      const level = sideOf(at)[placeOf(sideOf(at), at)];
      return level?.price === at.price ? level : undefined;
    },
    isEmpty: () => bids.length + asks.length + stops.size === 0,
  };
}

function levelFor(side: Level[], order: Order): Level {
  const at = placeOf(side, order);
  const known = side[at];
  if (known?.price === order.price) return known;
  const level = { price: order.price, orders: new Set<Order>() };
  side.splice(at, 0, level);
  return level;
}

/** The index of the order's price level, or the index where it must be inserted. */
function placeOf(side: readonly Level[], { side: own, price }: Pick<Order, 'side' | 'price'>): number {
  let low = 0;
  let high = side.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = side[middle]?.price ?? price;
    if (own === 'BUY' ? other > price : other < price) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The quantity that clients show at one price. */
export function clientsAt(side: readonly PriceLevel[], price: Decimal): Decimal {
  const orders = side.find((level) => level.price === price)?.orders ?? [];
  return [...orders].reduce((sum, order) => add(sum, shownOf(order)), ZERO);
}

/** A part of a resting order, in the order of matching. */
export interface Slice {
  readonly order: Order;
  readonly quantity: Decimal;
  /** True for a part of an iceberg that the book does not show yet. */
  readonly hidden: boolean;
}

/**
 * The orders of one side in the order of matching. An iceberg offers the slice that it shows. The next slice goes
 * behind all other orders of its price.
 */
export function* slicesOf(side: readonly PriceLevel[]): Generator<Slice> {
  for (const { orders } of side) {
    const queue: Slice[] = [];
    for (const order of orders) {
      const quantity = shownOf(order);
      yield { order, quantity, hidden: false };
      if (order.icebergQuantity > 0n)
        queue.push({ order, quantity: subtract(remainingOf(order), quantity), hidden: true });
    }
    yield* hiddenSlices(queue);
  }
}

function* hiddenSlices(queue: Slice[]): Generator<Slice> {
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const quantity = minimum(next.order.icebergQuantity, next.quantity);
    if (quantity <= 0n) continue;
    yield { ...next, quantity };
    queue.push({ ...next, quantity: subtract(next.quantity, quantity) });
  }
}
