import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Candle } from '#core/market/candle.ts';
import { formatDecimal, ONE, subtract } from '#core/amount/decimal.ts';
import { type AccountBench, openAccountBench, SYMBOL } from './account-bench.ts';
import { until } from './until.ts';

const MINUTE_MS = 60_000;
/** A minute of this market lasts a tenth of a second. */
const fastMarket = () => openAccountBench({ speed: 600, timing: { firstDelayMs: 300 } });

function assertWithoutHole(fed: readonly Candle[]): void {
  const firstMs = fed[0]?.openMs ?? 0;
  assert.deepEqual(
    fed.map(({ openMs }) => openMs),
    fed.map((_, index) => firstMs + index * MINUTE_MS),
  );
  assert.ok(fed.every(({ closed }) => closed));
}

const lost = ({ marketEvents }: AccountBench) => marketEvents.filter(({ kind }) => kind === 'disconnected').length;

test('candles that close while the stream is away are read when it is back', async () => {
  await using on = await fastMarket();
  await until('candles', () => on.fed.length >= 5);
  await on.control('POST', '/streams/drop');
  await until('the loss is told', () => lost(on) === 1);
  const before = on.fed.length;
  await until('candles again', () => on.fed.length >= before + 10);
  assertWithoutHole(on.fed);
});

test('while missed candles cannot be read nothing is fed, and nothing ends', async () => {
  await using on = await fastMarket();
  await until('candles', () => on.fed.length >= 5);
  const faults = [{ match: { path: '/api/v3/klines' }, kind: 'fail-before', status: 502, times: 5 }];
  await on.control('POST', '/faults', faults);
  await on.control('POST', '/streams/drop');
  await until('reads fail', () => on.warnings.filter(({ event }) => event === 'candles_not_read').length >= 3);
  const before = on.fed.length;
  await until('candles again', () => on.fed.length >= before + 10);
  assertWithoutHole(on.fed);
});

/** Lets the market trade through a resting order. */
async function fill(on: AccountBench): Promise<string> {
  const { clientOrderId, price } = await on.rest('0.995');
  await on.control('POST', '/trade', { symbol: SYMBOL, price: formatDecimal(subtract(price, ONE)), quantity: '5' });
  return clientOrderId;
}

const isBooked = async ({ database, running }: AccountBench, clientOrderId: string): Promise<boolean> => {
  const orders = database.kysely.selectFrom('orders').innerJoin('fills', 'fills.order_id', 'orders.id');
  const rows = await orders.select('state').where('client_order_id', '=', clientOrderId).execute();
  const followed = [...running.coins.all()].some(({ coin }) => coin.live.has(clientOrderId));
  return rows.length === 1 && rows[0]?.state === 'filled' && !followed;
};

const renewals = ({ warnings }: AccountBench) =>
  warnings.filter(({ event, err }) => event === 'account_stream_lost' && /has not delivered/.test(String(err)));

test('an account stream that keeps events back is noticed, the order is settled, and the stream is made anew', async () => {
  await using on = await openAccountBench();
  await on.control('POST', '/faults/events', [{ kind: 'drop', times: 1_000 }]);
  const clientOrderId = await fill(on);
  await until('the order to be settled', () => isBooked(on, clientOrderId), 60_000);
  await until('the stream to be made anew', () => renewals(on).length === 1);
  await on.control('DELETE', '/faults/events');
  const next = await fill(on);
  await until('the new stream tells', () => isBooked(on, next));
});

test('what filled while the account stream was away is booked once it is back, followed or not', async () => {
  await using on = await openAccountBench({ timing: { firstDelayMs: 2_000, longestDelayMs: 2_000 } });
  await on.control('POST', '/streams/drop');
  const followed = await fill(on);
  const forgotten = await fill(on);
  // As if it had been taken for never arrived.
  for (const { coin } of on.running.coins.all()) coin.live.delete(forgotten);
  await until('both to be booked', async () => (await isBooked(on, followed)) && isBooked(on, forgotten), 60_000);
});

test('executions that cannot be read hold up their order alone, not the account', async () => {
  await using on = await openAccountBench();
  await on.control('POST', '/faults/events', [{ kind: 'drop', times: 1_000 }]);
  await on.control('POST', '/faults', [{ match: { path: '/api/v3/myTrades' }, kind: 'reset', times: 3 }]);
  const clientOrderId = await fill(on);
  for (const runner of on.running.coins.all()) runner.watch(clientOrderId);
  await until('the order to be booked', () => isBooked(on, clientOrderId));
  assert.equal(on.warnings.filter(({ event }) => event === 'fills_not_read').length, 3);
  assert.equal(on.running.context.signal.aborted, false, 'the account goes on');
});
