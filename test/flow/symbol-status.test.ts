import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readCoin } from '#api/contract/profiles.ts';
import { control } from '#test/paper/test-server.ts';
import { MARKET_START, writeSwingingCandles } from './candles.ts';
import { LIVELY, startProfile } from './profile.ts';
import { openStack } from './stack.ts';
import { until } from './until.ts';

const SYMBOL = 'BTCUSDT';
/** Buys at almost any price. */
const EAGER = { ...LIVELY, buy: { ...LIVELY.buy, gridLevels: [{ triggerPercentage: '1.05' }] } };

test('a coin that the exchange halts is not bought until it trades again, without a restart', async () => {
  await using resources = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'tradewind-status-'));
  resources.defer(() => rm(folder, { recursive: true, force: true }));
  writeSwingingCandles(folder, 48 * 60);
  const source = { kind: 'replay', folder } as const;
  const stack = resources.use(await openStack({ source, fromMs: MARKET_START + 3_600_000, speed: 60 }));
  const setStatus = async (status: string): Promise<void> => {
    await control(stack.paper, 'POST /symbols', { symbol: SYMBOL, status });
  };
  const orders = () => stack.database.kysely.selectFrom('orders').select('state').execute();

  // The engine has read its rules at the start: it learns of the halt only from the exchange's refusal.
  await until('rules are read', () => stack.paper.venue.markets.has(SYMBOL));
  await setStatus('HALT');
  const id = await startProfile(stack, [SYMBOL], { config: EAGER });
  const refused = async () => {
    const { state } = (await stack.call(readCoin, { params: { id, symbol: SYMBOL } })).coin;
    return state?.approval.reason === 'data-symbol-not-trading';
  };
  await until('the halt to be the reason', refused, 60_000);
  assert.ok((await orders()).every(({ state }) => state === 'rejected'));
  await setStatus('TRADING');
  await until('a buy', async () => (await orders()).some(({ state }) => state === 'filled'), 90_000);
});
