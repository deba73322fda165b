import assert from 'node:assert/strict';
import { test } from 'node:test';
import { add, type Decimal, requireDecimal, subtract, ZERO } from '#core/amount/decimal.ts';
import { assertLikeExchange, enter, flat, type Guarded, openGuarded, sales, SETTINGS, stopsOf } from './guarded.ts';
import { until } from './until.ts';

/* A crash and a spike of the price while a stop and a target rest and the worker is down for ten minutes. */

const STEP_MS = 60_000;
/** Prices as shares of the first one, a minute apart. The stop triggers at 0.97 and sells for 0.96515 or more. */
const CRASH = ['0.99', '0.975', '0.969', '0.93', '0.85', '0.8', '0.9', '0.95', '0.99', '1'];
const GAP = ['0.98', '0.9', '0.8', '0.9', '0.96'];
const SPIKE = ['1.01', '1.02', '1.03', '1.1', '1.2', '1.1', '1.02', '0.99', '0.96', '0.9'];
const CRASH_THEN_SPIKE = ['0.98', '0.971', '1', '1.029', '1.04', '1.2', '1', '0.9', '0.8', '1'];

async function holdWithList(on: Guarded): Promise<void> {
  on.wheel.settings = { ...SETTINGS, restsTarget: true };
  await on.stop();
  await on.start();
  await on.trade('1');
  on.wheel.target = on.ticks('1.03');
  await enter(on);
  await until('a target to rest', () => stopsOf(on).length === 2);
}

async function downWhile(on: Guarded, prices: readonly string[]): Promise<void> {
  await on.stop();
  for (const price of prices) {
    await on.control('/clock/advance', { ms: STEP_MS });
    await on.trade(price, '1');
  }
}

/** The amount of an asset in the ledger, and the one on the exchange. */
async function booksOf(on: Guarded, asset: string): Promise<[Decimal, Decimal]> {
  const rows = await on.database.kysely
    .selectFrom('ledger_entries')
    .select('amount')
    .where('asset', '=', asset)
    .where('book', '=', 'wallet')
    .execute();
  const recorded = rows.reduce((sum, { amount }) => add(sum, requireDecimal(amount)), ZERO);
  const { free, locked } = on.paper.venue.engine.balances.balance('a', asset);
  return [recorded, subtract(add(free, locked), asset === 'USDT' ? requireDecimal('1000000') : ZERO)];
}

for (const [what, prices, ended] of [
  ['a crash through the stop sells at the stop', CRASH, ['LIMIT_MAKER EXPIRED', 'STOP_LOSS_LIMIT FILLED']],
  ['a spike through the target sells at the target', SPIKE, ['LIMIT_MAKER FILLED', 'STOP_LOSS_LIMIT EXPIRED']],
  [
    'a dip above the stop sells nothing, and the spike after it sells at the target',
    CRASH_THEN_SPIKE,
    ['LIMIT_MAKER FILLED', 'STOP_LOSS_LIMIT EXPIRED'],
  ],
] as const) {
  test(`${what} while the worker is down for ten minutes, and the books are equal`, async () => {
    await using on = await openGuarded();
    await holdWithList(on);
    await downWhile(on, prices);
    assert.deepEqual(sales(on), ended);
    await on.start();
    await flat(on);
    assert.deepEqual(sales(on), ended);
    await assertLikeExchange(on);
    for (const asset of ['BTC', 'USDT']) assert.deepEqual(...(await booksOf(on, asset)), asset);
  });
}

test('a gap below the limit of the stop leaves it resting; the worker sells the rest when it is back', async () => {
  await using on = await openGuarded();
  await holdWithList(on);
  await on.stop();
  // Afterwards the clock does not move: the market would trade above the limit again.
  await on.control('/clock/advance', { ms: 10 * STEP_MS });
  for (const price of GAP) await on.trade(price, '1');
  assert.deepEqual(sales(on), ['LIMIT_MAKER EXPIRED', 'STOP_LOSS_LIMIT NEW']);
  await on.start();
  await on.trade('0.96');
  await flat(on);
  assert.deepEqual(sales(on), ['LIMIT_MAKER EXPIRED', 'STOP_LOSS_LIMIT CANCELED', 'MARKET FILLED']);
  await assertLikeExchange(on);
  for (const asset of ['BTC', 'USDT']) assert.deepEqual(...(await booksOf(on, asset)), asset);
});
