import type { Order } from '#web/data/answers.ts';

/** An order, and the orders that it replaced, newest first: a stop moves by a cancel and a new stop. */
export interface OrderGroup<Row> {
  readonly row: Row;
  readonly replaced: readonly Row[];
}

const isFilled = ({ filledQuantity }: Order): boolean => Number(filledQuantity) > 0;

/** Orders, newest first, with the cancelled stops of a trade under the stop that followed them. */
export function orderGroups<Row extends { readonly order: Order }>(rows: readonly Row[]): OrderGroup<Row>[] {
  const groups: { row: Row; replaced: Row[] }[] = [];
  const newestStop = new Map<string, (typeof groups)[number]>();
  for (const row of rows) {
    const { order } = row;
    const later = newestStop.get(order.symbol);
    if (order.purpose === 'stop' && order.state === 'cancelled' && !isFilled(order) && later !== undefined) {
      later.replaced.push(row);
      continue;
    }
    const group = { row, replaced: [] };
    groups.push(group);
    if (order.purpose === 'stop') newestStop.set(order.symbol, group);
    // A sale ended the trade before: its stops are not those of the next one.
    else if (order.side === 'sell' && isFilled(order)) newestStop.delete(order.symbol);
  }
  return groups;
}
