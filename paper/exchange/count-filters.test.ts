import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkCounts, EXCHANGE_COUNTS, type OrderCounts, SYMBOL_COUNTS } from './count-filters.ts';

const NO_ORDERS: OrderCounts = { orders: 0, stops: 0, icebergs: 0, lists: 0 };
const single: OrderCounts = { ...NO_ORDERS, orders: 1 };

for (const { kind, name } of [
  { kind: 'orders', name: 'MAX_NUM_ORDERS' },
  { kind: 'stops', name: 'MAX_NUM_ALGO_ORDERS' },
  { kind: 'icebergs', name: 'MAX_NUM_ICEBERG_ORDERS' },
  { kind: 'lists', name: 'MAX_NUM_ORDER_LISTS' },
] as const) {
  test(`${name} and its account-wide twin pass at the limit and refuse the next`, () => {
    const added = { ...single, [kind]: 1 };
    const says = (symbol: number, exchange: number) =>
      checkCounts({ symbol: { ...NO_ORDERS, [kind]: symbol }, exchange: { ...NO_ORDERS, [kind]: exchange } }, added);
    assert.equal(says(SYMBOL_COUNTS[kind] - 1, EXCHANGE_COUNTS[kind] - 1), undefined);
    const [inSymbol, everywhere] = [says(SYMBOL_COUNTS[kind], 0), says(0, EXCHANGE_COUNTS[kind])];
    assert.deepEqual([inSymbol?.code, inSymbol?.message], [-2010, `Filter failure: ${name}`]);
    assert.deepEqual([everywhere?.code, everywhere?.message], [-2010, `Filter failure: EXCHANGE_${name}`]);
  });
}

test('a plain order is not refused for too many stops', () => {
  const full = { ...NO_ORDERS, stops: SYMBOL_COUNTS.stops };
  assert.equal(checkCounts({ symbol: full, exchange: full }, single), undefined);
});
