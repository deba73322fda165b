import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { z } from 'zod';
import { readCoin } from '#api/contract/profiles.ts';
import { MARKET_START, writeSwingingCandles } from './candles.ts';
import { LIVELY, startProfile } from './profile.ts';
import { openStack, type Stack } from './stack.ts';
import { until } from './until.ts';

const [ODD, GOOD] = ['ETHUSDT', 'BTCUSDT'];
const SYMBOLS = [ODD, GOOD] as const;
/** Buys at almost any price. */
const EAGER = { ...LIVELY, buy: { ...LIVELY.buy, gridLevels: [{ triggerPercentage: '1.05' }] } };
const MANY = 100_000;

async function openMarket(resources: AsyncDisposableStack): Promise<Stack> {
  const folder = await mkdtemp(join(tmpdir(), 'tradewind-odd-'));
  resources.defer(() => rm(folder, { recursive: true, force: true }));
  for (const symbol of SYMBOLS) writeSwingingCandles(folder, 48 * 60, { symbol });
  const source = { kind: 'replay', folder } as const;
  return resources.use(await openStack({ source, fromMs: MARKET_START + 3_600_000, speed: 60 }));
}

const control = async ({ paper }: Stack, method: string, path: string, body?: unknown): Promise<void> => {
  const init = { method, headers: paper.controlHeaders, body: JSON.stringify(body) ?? null };
  assert.equal((await fetch(`${paper.controlUrl}${path}`, init)).status, 200);
};

/** Answers a path with this body from now on. */
const answerWith = (stack: Stack, path: string, body: unknown): Promise<void> =>
  control(stack, 'POST', '/faults', [
    { match: { method: 'GET', path }, kind: 'fail-before', status: 200, body, times: MANY },
  ]);

const bought = async ({ database }: Stack, symbol: string): Promise<boolean> => {
  const filled = database.kysely.selectFrom('orders').select('id').where('state', '=', 'filled');
  return (await filled.where('symbol', '=', symbol).execute()).length > 0;
};

const info = z.looseObject({ symbols: z.array(z.looseObject({ symbol: z.string() })) });

test('a listing in an odd form keeps its own coin from trading, and no other', async () => {
  await using resources = new AsyncDisposableStack();
  const stack = await openMarket(resources);
  await stack.stopWorker();
  const listed = info.parse(await (await fetch(`${stack.paper.url}/api/v3/exchangeInfo`)).json());
  const symbols = listed.symbols.map((each) => (each.symbol === ODD ? { ...each, filters: 'many' } : each));
  await answerWith(stack, '/api/v3/exchangeInfo', { ...listed, symbols });
  await stack.startWorker();
  const id = await startProfile(stack, SYMBOLS, { config: EAGER });
  await until('a buy of the coin with readable rules', () => bought(stack, GOOD), 60_000);
  assert.equal(await bought(stack, ODD), false);
  const logs = stack.database.kysely.selectFrom('action_logs').select('msg').where('profile_id', '=', id);
  await until('the cause in the log of the profile', async () =>
    (await logs.where('symbol', '=', ODD).execute()).some(({ msg }) =>
      /ETHUSDT is not traded: Its trading rules could not be read\. .*filters/.test(msg),
    ),
  );
});

test('an open order in an odd form keeps its own coin from buying, until it can be read or is gone', async () => {
  await using resources = new AsyncDisposableStack();
  const stack = await openMarket(resources);
  await stack.stopWorker();
  const odd = { symbol: ODD, orderId: 7, clientOrderId: 'web_1', status: 'A_STATUS_OF_THE_FUTURE' };
  await answerWith(stack, '/api/v3/openOrders', [odd]);
  const id = await startProfile(stack, SYMBOLS, { config: EAGER });
  await stack.startWorker();
  const reasonOf = async (symbol: string) =>
    (await stack.call(readCoin, { params: { id, symbol } })).coin.state?.approval.reason;
  await until('the order to be the reason', async () => (await reasonOf(ODD)) === 'data-order-unreadable', 60_000);
  await until('a buy of the other coin', () => bought(stack, GOOD), 60_000);
  assert.equal(await bought(stack, ODD), false);
  await control(stack, 'DELETE', '/faults');
  await until('a buy of the coin', () => bought(stack, ODD), 90_000);
});
