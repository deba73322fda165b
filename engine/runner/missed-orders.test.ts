import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byLastExecution } from './missed-orders.ts';

test('of orders that fill in alternation the one that ends first comes first', () => {
  const of = (ids: string): string[] => byLastExecution([...ids].map((exchangeOrderId) => ({ exchangeOrderId })));
  assert.deepEqual(of('aba'), ['b', 'a'], 'killed after b, the next start finds the last execution of a');
  assert.deepEqual(of('aabbc'), ['a', 'b', 'c']);
  assert.deepEqual(of('abcbca'), ['b', 'c', 'a']);
  assert.deepEqual(of(''), []);
});
