import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { changeCoin, readCoin } from '#api/contract/profiles.ts';
import { MARKET_START, writeSwingingCandles } from './candles.ts';
import { enter, openGuarded, ordersOf, stopsOf, SYMBOL } from './guarded.ts';
import { LIVELY, startProfile } from './profile.ts';
import { openStack, type Stack } from './stack.ts';
import { until } from './until.ts';

const COINS = Array.from({ length: 60 }, (_, index) => `C${index}USDT`);
const UNREAD = ['C7USDT', 'C21USDT', 'C58USDT'];
/** Buys at almost any price. */
const EAGER = { ...LIVELY, buy: { ...LIVELY.buy, gridLevels: [{ triggerPercentage: '1.05' }] } };

const unreadable = (symbol: string) => ({
  match: { path: '/api/v3/klines', text: `symbol=${symbol}` },
  ...{ kind: 'fail-before', status: 400, body: { code: -1121, msg: 'Invalid symbol.' }, times: 100_000 },
});

async function control({ paper }: Pick<Stack, 'paper'>, method: string, path: string, body?: unknown): Promise<void> {
  const init = { method, headers: paper.controlHeaders, body: JSON.stringify(body) ?? null };
  assert.equal((await fetch(`${paper.controlUrl}${path}`, init)).status, 200);
}

test('sixty coins start and trade while the candles of three cannot be read, and those three say why', async () => {
  await using resources = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'tradewind-unread-'));
  resources.defer(() => rm(folder, { recursive: true, force: true }));
  for (const [seed, symbol] of COINS.entries()) writeSwingingCandles(folder, 300, { symbol, seed });
  const source = { kind: 'replay', folder } as const;
  const stack = resources.use(await openStack({ source, fromMs: MARKET_START + 7_200_000 }));
  await control(stack, 'POST', '/faults', UNREAD.map(unreadable));
  const id = await startProfile(stack, COINS, { config: EAGER });
  const bought = async (): Promise<ReadonlySet<string>> => {
    const rows = await stack.database.kysely.selectFrom('fills').select('symbol').distinct().execute();
    return new Set(rows.map(({ symbol }) => symbol));
  };
  await until('every readable coin to buy', async () => (await bought()).size >= COINS.length - UNREAD.length);
  const rows = await stack.database.kysely
    .selectFrom('action_logs')
    .select(['symbol', 'msg'])
    .where('msg', 'like', '%candles of % cannot be read%')
    .execute();
  assert.equal(rows.length, UNREAD.length, JSON.stringify(rows));
  assert.deepEqual(new Set(rows.map(({ symbol }) => symbol)), new Set(UNREAD));
  assert.ok((await bought()).isDisjointFrom(new Set(UNREAD)));
  const reason = async (symbol: string) =>
    (await stack.call(readCoin, { params: { id, symbol } })).coin.state?.decision.reason;
  await until('the coin to decide without candles', async () => (await reason('C7USDT')) !== undefined);

  // Another config while the candles cannot be read: the coin continues with it.
  await stack.call(changeCoin, {
    params: { id, symbol: 'C7USDT' },
    body: { overrideConfig: { sell: { stopLossPercentage: '0.95' } } },
  });
  await control(stack, 'DELETE', '/faults');
  await until('the other coins to buy', async () => (await bought()).size === COINS.length);
});

test('a position whose candles cannot be read keeps its stop and is sold, and nothing is bought before they are', async () => {
  await using on = await openGuarded();
  const stop = await enter(on);
  await on.control('/faults', [unreadable(SYMBOL)]);
  await on.stop();
  await on.start();
  await on.trade('1.02');
  on.wheel.stop = on.ticks('1');
  await until('the stop to move', async () => {
    await on.tick();
    return stopsOf(on)[0]?.id !== stop.id && stopsOf(on).length === 1;
  });
  on.wheel.want = 'sell';
  await until('the sale', async () => {
    await on.tick();
    return ordersOf(on).find(({ type, side, status }) => type === 'MARKET' && side === 'SELL' && status === 'FILLED');
  });
  on.wheel.want = 'buy';
  await until('a refused buy', async () => {
    await on.tick();
    return on.audits.at(-1)?.approval.kind === 'refused';
  });
  const approval = on.audits.at(-1)?.approval;
  assert.equal(approval?.kind === 'refused' && approval.reason, 'data-candles-missing');
  const [trouble] = on.running().coins.troubles();
  assert.match(trouble?.cause ?? '', /1m candles cannot be read/);
  assert.ok(trouble?.runs && trouble.nextAt !== null);
  assert.equal(on.logs.filter(({ ctx }) => JSON.stringify(ctx).includes('candles_missing')).length, 1);
  const buys = ordersOf(on).filter(({ side }) => side === 'BUY').length;
  const reply = await fetch(`${on.paper.controlUrl}/faults`, { method: 'DELETE', headers: on.paper.controlHeaders });
  assert.equal(reply.status, 200);
  await until('a buy', () => ordersOf(on).filter(({ side }) => side === 'BUY').length > buys);
});

test('a coin whose past executions cannot be read is opened later, and the account runs meanwhile', async () => {
  await using on = await openGuarded();
  await on.stop();
  await on.database.kysely.updateTable('runner_states').set({ compared: false }).execute();
  const match = { path: '/api/v3/myTrades' };
  await on.control('/faults', [
    { match, kind: 'fail-before', status: 400, body: { code: -1121, msg: 'No.' }, times: 3 },
  ]);
  await on.start();
  const { coins } = on.running();
  assert.match(coins.troubles()[0]?.cause ?? '', /past and open orders could not be read/);
  assert.equal(coins.troubles()[0]?.runs, false);
  await until('the coin to run', () => [...coins.all()].length === 1);
  assert.deepEqual(coins.troubles(), []);
  assert.equal(on.logs.filter(({ ctx }) => JSON.stringify(ctx).includes('coin_cannot_run')).length, 1);
});
