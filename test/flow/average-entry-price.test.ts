import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  bindCoin,
  createProfile,
  deleteAverageEntryPrice,
  disableProfile,
  enableProfile,
  readCoin,
  setAverageEntryPrice,
} from '#api/contract/profiles.ts';
import { listActionLogs } from '#api/contract/records.ts';
import { NO_SELLABLE_POSITION, NOT_HELD_NOTE } from '#core/position/cost-basis.ts';
import { parseEnvironment } from '#core/installation/env.ts';
import { clientOrderIdOf } from '#core/order/order.ts';
import { encodeQuery, signHmac } from '#exchange/signing.ts';
import { openWorker } from '#worker/worker.ts';
import { LIVELY } from './profile.ts';
import { KEY } from './stack.ts';
import { until } from './until.ts';
import {
  add,
  closeWatching,
  coinOf,
  costLine,
  ended,
  flow,
  hold,
  openWatching,
  paramsOf,
  ready,
  row,
  setPrice,
  sweep,
} from './watching.ts';

/** Quantity and price of the newest tick, as the strategy got them and as they are recorded. */
async function decidedWith(symbol: string): Promise<unknown[]> {
  const { stack, profileId } = flow();
  const { entries } = await (await stack.fetch(`/profiles/${profileId}/tick-trace?symbol=${symbol}&limit=1`)).json();
  const { quantity, averagePrice, recordedQuantity, recordedAveragePrice } = entries[0].input;
  return [quantity, averagePrice, recordedQuantity, recordedAveragePrice];
}

before(openWatching);
after(closeWatching);

test('a coin added with an average entry price is managed from the next tick on, and corrected later, without a restart', async () => {
  await hold({ SOL: '1.5' });
  await add('SOLUSDT', '20.5');
  await until('the strategy to have it', async () => (await costLine('SOLUSDT')) === '20.5');
  const { position, costBasis, untracked } = await coinOf('SOLUSDT');
  assert.deepEqual([position.quantity, position.averagePrice, position.cycle], ['1.5', '20.5', 1]);
  assert.deepEqual([costBasis?.note, untracked], [null, null]);
  await hold({ SOL: '1.25' });
  await setPrice('SOLUSDT', '19');
  await until('the corrected cost', async () => (await costLine('SOLUSDT')) === '19');
  assert.deepEqual((await coinOf('SOLUSDT')).position.quantity, '1.25');
  await flow().stack.call(deleteAverageEntryPrice, { params: paramsOf('SOLUSDT') });
  await until('no position', async () => (await costLine('SOLUSDT')) === undefined && (await row('SOLUSDT')) === null);
  await until('it is untracked', async () => (await coinOf('SOLUSDT')).untracked === '1.25');
});

test('a correction on a disabled profile reaches the position, and a restarted worker keeps it', async () => {
  const { stack, profileId } = flow();
  await hold({ XRP: '100' });
  await add('XRPUSDT', '0.5');
  await until('the position', async () => (await costLine('XRPUSDT')) === '0.5');
  await stack.call(disableProfile, { params: { id: profileId } });
  await setPrice('XRPUSDT', '0.4');
  assert.equal((await coinOf('XRPUSDT')).position.averagePrice, '0.4');
  await stack.stopWorker();
  await stack.startWorker();
  await stack.call(enableProfile, { params: { id: profileId } });
  await until('the strategy to have it', async () => (await costLine('XRPUSDT')) === '0.4');
});

test('note shown | sweep | the balance backs the entry, a cached price exists, the symbol has ticked before | note absent', async () => {
  const { stack, profileId } = flow();
  await add('ADAUSDT', '0.25');
  await until('the note', async () => (await row('ADAUSDT'))?.note === NOT_HELD_NOTE);
  assert.deepEqual(await row('ADAUSDT'), { averageEntryPrice: '0.25', quantity: '0', note: NOT_HELD_NOTE });
  await ready('ADAUSDT');
  assert.deepEqual(
    await decidedWith('ADAUSDT'),
    ['0', '0', '0', '0.25'],
    'a tick is recorded with the numbers that the strategy was handed',
  );
  const { rows } = await stack.call(listActionLogs, { params: { id: profileId }, query: {} });
  const told = rows.find(
    ({ symbol, ctx }) => symbol === 'ADAUSDT' && JSON.stringify(ctx).includes(NO_SELLABLE_POSITION),
  );
  assert.equal(told?.level, 'warn');
  await sweep();
  await sweep();
  assert.equal((await row('ADAUSDT'))?.note, NOT_HELD_NOTE, 'a price marker is never pruned');
  await hold({ ADA: '400' });
  await sweep();
  assert.deepEqual(await row('ADAUSDT'), { averageEntryPrice: '0.25', quantity: '400', note: null });
  await until('the strategy to have it', async () => (await costLine('ADAUSDT')) === '0.25');
});

test('note shown | average entry price saved again | check passes | note absent, apply job re-runs', async () => {
  await add('DOTUSDT', '6');
  await until('the note', async () => (await row('DOTUSDT'))?.note === NOT_HELD_NOTE);
  await setPrice('DOTUSDT', '5');
  assert.deepEqual(await row('DOTUSDT'), { averageEntryPrice: '5', quantity: '0', note: NOT_HELD_NOTE });
  await hold({ DOT: '10' });
  await setPrice('DOTUSDT', '6');
  assert.deepEqual(await row('DOTUSDT'), { averageEntryPrice: '6', quantity: '10', note: null });
});

test('note shown | average entry price deleted | row removed | note absent', async () => {
  await add('LINKUSDT', '14');
  await until('the note', async () => (await row('LINKUSDT'))?.note === NOT_HELD_NOTE);
  const { jobId } = await flow().stack.call(deleteAverageEntryPrice, { params: paramsOf('LINKUSDT') });
  await ended(jobId);
  assert.equal(await row('LINKUSDT'), null);
});

test('a phantom holding is pruned by two sweeps in a row, and a drift is lowered to the wallet by two', async () => {
  await hold({ ATOM: '5', UNI: '8' });
  await add('ATOMUSDT', '9');
  await add('UNIUSDT', '7');
  await until('positions', async () => (await costLine('ATOMUSDT')) === '9' && (await costLine('UNIUSDT')) === '7');
  await ready('ATOMUSDT');
  await ready('UNIUSDT');
  await hold({ ATOM: '0', UNI: '6' });
  await sweep();
  assert.deepEqual([(await row('ATOMUSDT'))?.quantity, (await row('UNIUSDT'))?.quantity], ['5', '8']);
  await sweep();
  assert.deepEqual([await row('ATOMUSDT'), (await row('UNIUSDT'))?.quantity], [null, '6']);
  await until('it is handed on', async () => (await costLine('ATOMUSDT')) === undefined);
});

test('a position is seeded from fills of orders that provably are its own; other holdings stay untracked', async () => {
  const { stack, profileId } = flow();
  const place = async (symbol: string, newClientOrderId: string): Promise<void> => {
    const order = { symbol, side: 'BUY', type: 'MARKET', quantity: '10', newClientOrderId };
    const query = encodeQuery({ ...order, timestamp: Date.now() });
    const reply = await fetch(`${stack.paper.url}/api/v3/order?${query}&signature=${signHmac(query, KEY.secret)}`, {
      method: 'POST',
      headers: { 'X-MBX-APIKEY': KEY.apiKey },
    });
    assert.equal(reply.status, 200, await reply.text());
  };
  await stack.stopWorker();
  await place('LTCUSDT', clientOrderIdOf({ profileId, symbol: 'LTCUSDT', purpose: 'entry', sequence: 7 }));
  await place('ETCUSDT', 'by-hand');
  await stack.startWorker();
  await add('LTCUSDT');
  await add('ETCUSDT');
  await ready('LTCUSDT');
  await ready('ETCUSDT');
  await sweep();
  await until('the seeded position', async () => Number((await coinOf('LTCUSDT')).position.quantity) > 9.9);
  const foreign = await coinOf('ETCUSDT');
  assert.deepEqual([foreign.position.quantity, Number(foreign.untracked) > 9.9], ['0', true]);
  const runner = await stack.database.kysely
    .selectFrom('runner_states')
    .select('order_sequence')
    .where('symbol', '=', 'LTCUSDT')
    .executeTakeFirstOrThrow();
  assert.equal(runner.order_sequence, '7', 'its id is never given again');
});

test('whichever worker takes the job, the owner of the account applies it', async () => {
  const { stack } = flow();
  await hold({ AVAX: '30' });
  await add('AVAXUSDT', '20');
  await until('the position', async () => (await costLine('AVAXUSDT')) === '20');
  const { connectionString } = stack.database.pool.options;
  const place = { DATABASE_URL: connectionString, PAPER_URL: stack.paper.url, PORT: '0', LOG_LEVEL: 'silent' };
  await using _second = await openWorker(parseEnvironment({ ...place, WORKER_SLOT: 'second' }));
  for (const price of ['21', '22', '23', '24', '25', '26', '27', '28']) {
    const body = { averageEntryPrice: price };
    await stack.call(setAverageEntryPrice, { params: paramsOf('AVAXUSDT'), body });
    await until(`the strategy to have ${price}`, async () => (await costLine('AVAXUSDT')) === price);
  }
});

test('a position given to a trading strategy is managed like a bought one: beyond its stop it is sold', async () => {
  const { stack } = flow();
  await hold({ BNB: '1' });
  const { profile } = await stack.call(createProfile, {
    body: { accountId: stack.accountId, name: 'Trade', strategyName: 'trailing-trade', config: LIVELY, enabled: true },
  });
  const params = { id: profile.id };
  await stack.call(bindCoin, { params, body: { symbol: 'BNBUSDT', averageEntryPrice: '1000000' } });
  const page = () => stack.call(readCoin, { params: { ...params, symbol: 'BNBUSDT' } });
  // Sold in one piece or more; the strategy may buy again right after.
  await until('all of it is sold', async () => {
    const sales = (await page()).fills.filter(({ side }) => side === 'sell');
    return sales.reduce((sum, { quantity }) => sum + Number(quantity), 0) > 0.99;
  });
});
