import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDashboard } from '#api/contract/records.ts';
import { openTestApi } from '#test/api/test-api.ts';
import { cacheKeys, marketClock } from '#core/installation/cache-keys.ts';
import { parseEnvironment } from '#core/installation/env.ts';
import { ORDER_TIMING } from '#core/order/order-timing.ts';
import { startScriptedServer } from '#test/exchange/scripted-server.ts';
import { createVenues } from '#worker/venues.ts';
import { until } from './until.ts';

const BEGAN = Date.UTC(2024, 0, 8);

test('the time of a replayed market is told once the exchange has told it, and at its speed', async () => {
  await using stack = new AsyncDisposableStack();
  const body = () => ({ serverTime: Date.now(), marketTime: BEGAN, marketSpeed: 600 });
  const server = stack.use(await startScriptedServer(() => ({ body: body() })));
  const api = stack.use(await openTestApi());
  await api.signUp();
  await api.addProfile('Replayed');
  const env = parseEnvironment({ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/x', TESTNET_REST_URL: server.url });
  const announcer = {
    announce: () => undefined,
    price: () => undefined,
    forgetCoin: () => undefined,
    [Symbol.asyncDispose]: async () => undefined,
  };
  const onFailure = (error: unknown): never => assert.fail(String(error));
  const sources = { env, cache: api.cache, announcer, timing: ORDER_TIMING, onFailure };
  const { market, keepClock } = stack.use(createVenues(sources)).of('testnet');
  const told = async (): Promise<string[]> =>
    (await api.call(readDashboard, {})).accounts.flatMap(({ marketAt }) => marketAt ?? []);

  keepClock();
  assert.deepEqual(await told(), [], 'wall time is not the time of this market');
  await market.clock.sync();
  keepClock();
  const [text] = await until('the clock is kept', async () => ((await told()).length > 0 ? told() : undefined));
  assert.match(text ?? '', /^2024-01-0[789]/);
  const kept = marketClock.parse(JSON.parse((await api.cache.get(cacheKeys.marketClock('testnet'))) ?? '{}'));
  assert.equal(kept.speed, 600);
  assert.ok(kept.marketMs >= BEGAN && kept.marketMs <= market.clock.marketMs(), String(kept.marketMs));
});
