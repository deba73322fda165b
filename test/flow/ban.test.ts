import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { cancelIdOf } from '#core/order/order.ts';
import { ExchangeError } from '#exchange/errors.ts';
import { control } from '#test/paper/test-server.ts';
import { type AccountBench, openAccountBench, SYMBOL } from './account-bench.ts';
import { until } from './until.ts';

const HTML = '<html><body>Forbidden</body></html>';
const logged = z.array(z.object({ method: z.string(), path: z.string(), status: z.number(), atMs: z.number() }));

/** Requests over REST, oldest first. */
const requestsOf = async ({ paper }: AccountBench) =>
  logged.parse(await control(paper, 'GET /log')).filter(({ method }) => method !== 'WS');
const reasonOf = (error: unknown): string => (error instanceof ExchangeError ? error.reason : String(error));
const priceEvents = ({ marketEvents }: AccountBench) => marketEvents.filter(({ kind }) => kind === 'price').length;

test('while banned it asks nothing and goes on with its streams; afterwards it asks again', async () => {
  await using on = await openAccountBench();
  await on.control('POST', '/bans', { ms: 6_000 });
  assert.equal(await on.trading.openOrders(SYMBOL).catch(reasonOf), 'banned');
  const { length } = await requestsOf(on);
  const [before, sentMs] = [priceEvents(on), Date.now()];
  assert.equal((await on.trading.cancel(SYMBOL, 'tw1-none', 'tw1-none-c')).kind, 'not-sent');
  await until('prices from the stream', () => priceEvents(on) > before + 5);
  assert.ok(!on.marketEvents.some(({ kind }) => kind === 'disconnected'));
  await until('the next answer', async () => (await on.trading.openOrders(SYMBOL).catch(() => null)) !== null);
  const later = (await requestsOf(on)).slice(length);
  assert.ok(
    later.every(({ status, atMs }) => status === 200 && atMs >= sentMs + 5_000),
    JSON.stringify(later),
  );
});

test('429 is waited out as long as it says', async () => {
  await using on = await openAccountBench();
  const match = { method: 'GET', path: '/api/v3/allOrders' };
  const body = { code: -1003, msg: 'Too much request weight used.' };
  await on.control('POST', '/faults', [
    { match, kind: 'fail-before', status: 429, body, headers: { 'Retry-After': '2' } },
  ]);
  assert.equal(await on.trading.recentOrders(SYMBOL).catch(reasonOf), 'rate-limited');
  await on.trading.recentOrders(SYMBOL);
  const [first, next] = (await requestsOf(on)).filter(({ path }) => path === match.path);
  assert.ok(first !== undefined && next !== undefined && next.atMs - first.atMs >= 2_000);
});

test('after a page of the firewall exits still go, everything else waits', async () => {
  await using on = await openAccountBench();
  const { clientOrderId } = await on.rest('0.9');
  const match = { method: 'GET', path: '/api/v3/allOrders' };
  await on.control('POST', '/faults', [{ match, kind: 'fail-before', status: 403, body: HTML }]);
  assert.equal(await on.trading.recentOrders(SYMBOL).catch(reasonOf), 'blocked');
  assert.equal(await on.trading.recentOrders(SYMBOL).catch(reasonOf), 'rate-limited');
  const cancelled = await on.trading.cancel(SYMBOL, clientOrderId, cancelIdOf(clientOrderId));
  assert.ok(cancelled.kind === 'accepted' && cancelled.order.state === 'cancelled');
});
