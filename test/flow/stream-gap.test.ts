import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Candle } from '#core/candle.ts';
import { ORDER_TIMING } from '#core/order-timing.ts';
import { newId } from '#core/ids.ts';
import { FLAT } from '#core/position.ts';
import type { ProfileToRun } from '#core/ports.ts';
import { ZERO } from '#core/decimal.ts';
import { createAccountContext } from '#engine/account-context.ts';
import { createCoin } from '#engine/coin.ts';
import { createCoinRunner } from '#engine/coin-runner.ts';
import { createAccountStream } from '#exchange/account-stream.ts';
import { createMarketStream } from '#exchange/market-stream.ts';
import { createTrading } from '#exchange/place.ts';
import { createMarketReader } from '#exchange/read.ts';
import { SOCKET_TIMING } from '#exchange/socket.ts';
import { parseAccounts } from '#paper/accounts.ts';
import { startPaper } from '#paper/server.ts';
import { openTestDatabase } from '#storage/test-database.ts';
import { createTradingStore } from '#storage/trading-store.ts';
import type { BoundStrategy } from '#strategies/strategy.ts';
import { KEY } from './stack.ts';
import { until } from './until.ts';

const SYMBOL = 'BTCUSDT';
const MINUTE_MS = 60_000;

/** A strategy that only remembers which candles it was fed. */
const remembering = (fed: Candle[]): BoundStrategy => ({
  name: 'remembering',
  readable: true,
  unreadablePath: null,
  needs: { interval: '1m', min: 0, want: 1 },
  shared: { entryBudget: ZERO, lossCooldownMs: 0, stopMultiple: null, stopLimitOffset: ZERO },
  reasons: { waiting: { sentence: 'Waiting.', thresholds: [] } },
  lint: () => [],
  create: () => ({
    onCandle: (candle) => void fed.push(candle),
    onFill: () => undefined,
    decide: () => ({ kind: 'nothing', reason: 'waiting' }),
    explain: () => ({}),
    stopTicks: () => 0,
    plan: () => [],
    state: () => ({}),
  }),
});

/** A minute of this market lasts a tenth of a second. */
const startFastPaper = () =>
  startPaper({
    port: 0,
    controlPort: 0,
    accounts: parseAccounts([{ name: 'a', ...KEY, balances: { USDT: '100' } }], 'The accounts of the test'),
    source: { kind: 'synthetic' },
    clock: { kind: 'real' },
    speed: 600,
    seed: 7,
  });

async function bench() {
  await using stack = new AsyncDisposableStack();
  const paper = stack.use(await startFastPaper());
  const { database } = stack.use(await openTestDatabase());
  const market = createMarketReader({ restUrl: paper.url });
  await market.clock.sync();
  const rules = (await market.rules()).find(({ symbol }) => symbol === SYMBOL);
  assert.ok(rules !== undefined);
  const credentials = { ...KEY, clock: market.clock };
  const timing = { ...SOCKET_TIMING, firstDelayMs: 300 };
  const [warnings, faults]: [unknown[], unknown[]] = [[], []];
  const stop = new AbortController();
  const log = { info: () => undefined, warn: (fields: object) => void warnings.push(fields), error: () => undefined };
  const context = createAccountContext({
    account: { id: newId(), name: 'a', exchangeMode: 'testnet', endpoint: 'paper', epoch: 0 },
    fencing: 1,
    keyStatus: null,
    timing: ORDER_TIMING,
    signal: stop.signal,
    fail: (error) => void faults.push(error),
    ports: {
      store: createTradingStore(database),
      trading: createTrading({ restUrl: paper.url, ...credentials }),
      market,
      openMarketStream: createMarketStream({ streamUrl: paper.wsUrl, timing }),
      openAccountStream: createAccountStream({ wsApiUrl: `${paper.wsUrl}/ws-api/v3`, ...credentials }),
      records: { audit: () => undefined, log: () => undefined, flush: async () => undefined },
      announce: () => undefined,
      log,
    },
  });
  const profile: ProfileToRun = {
    id: newId(),
    accountId: context.account.id,
    name: 'p',
    strategyName: 'remembering',
    config: {},
    enabled: true,
    symbols: [{ symbol: SYMBOL, overrideConfig: {}, version: 0 }],
  };
  const fed: Candle[] = [];
  const stored = { version: 0, orderSequence: 0, strategyState: null, position: FLAT };
  const coin = createCoin({ context, profile, rules, bound: remembering(fed), stored, levels: [] });
  const runner = createCoinRunner(coin);
  stack.defer(() => runner.close());
  const losses: string[] = [];
  const stream = stack.use(
    context.ports.openMarketStream((event) => {
      if (event.kind === 'candle' && event.candle.closed) runner.onCandle(event.candle);
      if (event.kind === 'connected') runner.onStream();
      if (event.kind === 'disconnected') losses.push(event.cause);
    }),
  );
  stream.update([{ symbol: SYMBOL, interval: '1m' }]);
  const control = async (path: string, body: unknown = {}): Promise<void> => {
    const reply = await fetch(`${paper.controlUrl}${path}`, { method: 'POST', body: JSON.stringify(body) });
    assert.equal(reply.status, 200);
  };
  const resources = stack.move();
  return { runner, fed, faults, warnings, losses, control, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

function assertWithoutHole(fed: readonly Candle[]): void {
  assert.deepEqual(
    fed.map(({ openMs }) => openMs),
    fed.map((_, index) => (fed[0]?.openMs ?? 0) + index * MINUTE_MS),
  );
  assert.ok(fed.every(({ closed }) => closed));
}

test('candles that close while the stream is away are read when it is back', async () => {
  await using on = await bench();
  await until('candles', () => on.fed.length >= 5);
  await on.control('/streams/drop');
  await until('the loss is told', () => on.losses.length === 1);
  const before = on.fed.length;
  await until('candles again', () => on.fed.length >= before + 10);
  assertWithoutHole(on.fed);
  assert.deepEqual(on.faults, []);
});

test('while missed candles cannot be read nothing is fed, and nothing ends', async () => {
  await using on = await bench();
  await until('candles', () => on.fed.length >= 5);
  await on.control('/faults', [{ match: { path: '/api/v3/klines' }, kind: 'fail-before', status: 502, times: 5 }]);
  await on.control('/streams/drop');
  await until('reads fail', () => on.warnings.length >= 3);
  const before = on.fed.length;
  await until('candles again', () => on.fed.length >= before + 10);
  assertWithoutHole(on.fed);
  assert.deepEqual(on.faults, []);
});
