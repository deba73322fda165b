import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDecimal } from '#core/decimal.ts';
import { enter, openGuarded, stopsOf } from './guarded.ts';
import { until } from './until.ts';

test('a stop rests as soon as something is held, and follows the strategy up, not down', async () => {
  await using on = await openGuarded();
  const first = await enter(on);
  assert.equal(first.type, 'STOP_LOSS_LIMIT');
  assert.equal(formatDecimal(first.stopPrice), formatDecimal(on.at('0.97')));
  on.wheel.stop = on.ticks('0.98');
  await on.tick();
  const second = await until('the stop to move', () => stopsOf(on).find(({ id }) => id !== first.id));
  assert.equal(formatDecimal(second.stopPrice), formatDecimal(on.at('0.98')));
  assert.equal(stopsOf(on).length, 1);
});
