import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requireDecimal as d } from '#core/amount/decimal.ts';
import { READY } from '#test/harness/situation.ts';
import { costOf } from './preview.ts';

test('the highest price of a market buy is on the tick size, rounded up', () => {
  const { price } = costOf(
    { side: 'buy', form: { type: 'market' }, quantity: d('0.001') },
    { ...READY, price: d('61734.01') },
  );
  assert.equal(price, '61857.48');
});
