import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CacheStore } from '#core/ports/cache.ts';
import { createRateLimiter, type RateLimiter, type Usage } from '#exchange/limits.ts';
import { shareLimits } from '#exchange/shared-limits.ts';
import { openCache } from '#storage/cache/open-cache.ts';
import { openRelay } from '#test/harness/test-outage.ts';
import { openTestDatabase } from '#test/harness/test-database.ts';
import { until } from './until.ts';

const restUrl = 'https://exchange.example';
const ok = (usedWeight: number): Usage => ({ status: 200, code: null, usedWeight, retryAfterMs: undefined });
const cacheUrl = process.env['TEST_CACHE_URL'];

async function bench(url: string | undefined) {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await openTestDatabase());
  // Redis is shared by all tests: the name of the egress keeps this run's keys apart.
  const egress = `test-${crypto.randomUUID()}`;
  const cache = stack.use(await openCache({ cacheUrl: url, databaseUrl: database.url }));
  const failures: unknown[] = [];
  const join = (limiter: RateLimiter, own: CacheStore = cache) =>
    shareLimits({ limiter, cache: own, egress, restUrl, onFailure: (error) => void failures.push(error) });
  const resources = stack.move();
  return { cache, failures, join, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

const ask = (limiter: RateLimiter, weight: number, waitMs = 0) =>
  limiter.acquire({ priority: 'query', weight, waitMs });

for (const [name, url] of [
  ['PostgreSQL', undefined],
  ['Redis', cacheUrl],
] as const) {
  const skip = name === 'Redis' && url === undefined ? 'needs TEST_CACHE_URL, the address of a Redis' : false;
  test(`processes share one limit and one stop through ${name}, and a later process finds both`, { skip }, async () => {
    await using on = await bench(url);
    const [worker, api] = [createRateLimiter(), createRateLimiter()];
    await using _worker = on.join(worker);
    await using _api = on.join(api);
    (await ask(worker, 20))?.settle(ok(5_390));
    await until('the api knows the weight', () => api.snapshot().counted === 5_390);
    assert.equal(await ask(api, 20), undefined, 'the lane is full through the other process');
    assert.ok((await ask(api, 10)) !== undefined);

    const ban: Usage = { status: 418, code: -1003, usedWeight: undefined, retryAfterMs: 90_000 };
    (await ask(worker, 1))?.settle(ban);
    await until('the api stops', () => api.snapshot().stopMs > Date.now());
    const later = createRateLimiter();
    await until('the stop is kept', async () => (await on.cache.list('limits-stop:')).size > 0);
    await using _later = on.join(later);
    assert.equal(await ask(later, 1, 60_000), undefined, 'a process that starts during a ban sends nothing');
  });

  test(`a page of the firewall holds back all but exits in every process through ${name}`, { skip }, async () => {
    await using on = await bench(url);
    const [worker, api, later] = [createRateLimiter(), createRateLimiter(), createRateLimiter()];
    await using _worker = on.join(worker);
    await using _api = on.join(api);
    (await ask(worker, 1))?.settle({ ...ok(0), status: 403, usedWeight: undefined });
    await until('the api hears of it', () => api.snapshot().blockedMs > Date.now());
    await until('it is kept', async () => (await on.cache.list('limits-stop:')).size > 0);
    await using _later = on.join(later);
    for (const limiter of [api, later]) {
      assert.equal(await ask(limiter, 1), undefined);
      assert.ok((await limiter.acquire({ priority: 'exit', weight: 1, waitMs: 0 })) !== undefined);
    }
    assert.deepEqual(on.failures, []);
  });
}

test('without the cache store each process goes by its own replies', async () => {
  await using on = await bench(undefined);
  const own = await openCache({ databaseUrl: 'postgres://nobody@127.0.0.1:1/none' }).catch((error: unknown) => error);
  assert.ok(own instanceof Error);
  const alone = createRateLimiter();
  await on.cache[Symbol.asyncDispose]();
  await using _alone = on.join(alone);
  (await ask(alone, 1))?.settle(ok(5_395));
  assert.equal(await ask(alone, 10), undefined);
  await until('the failure is reported', () => on.failures.length > 0);
});

test('a process stops although its cache store went away before it could listen there', {
  timeout: 60_000,
}, async () => {
  await using test = await openTestDatabase();
  await using relay = await openRelay(new URL(test.url));
  await using cache = await openCache({ databaseUrl: relay.url });
  relay.sever();
  const limiter = createRateLimiter();
  const sharing = shareLimits({ limiter, cache, egress: 'alone', restUrl, onFailure: () => undefined });
  await sharing[Symbol.asyncDispose]();
  assert.ok((await ask(limiter, 1)) !== undefined);
});
