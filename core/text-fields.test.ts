import assert from 'node:assert/strict';
import { test } from 'node:test';
import { positiveAmount } from './text-fields.ts';

test('an amount is above zero, below 10^18 and has at most 18 decimals', () => {
  const isAccepted = (text: string): boolean => positiveAmount.safeParse(text).success;
  for (const good of ['1', '0.000000000000000001', '999999999999999999.9']) assert.ok(isAccepted(good), good);
  for (const bad of ['0', '-1', '1000000000000000000', '0.0000000000000000001', '1e3', '', 'x', '9'.repeat(41)])
    assert.ok(!isAccepted(bad), bad);
});
