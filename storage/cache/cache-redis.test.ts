import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testCacheContract } from './cache.contract.ts';
import { openCache } from './open-cache.ts';

const cacheUrl = process.env['TEST_CACHE_URL'];

if (cacheUrl === undefined || cacheUrl === '') {
  test.skip('the cache store in Redis or Valkey: TEST_CACHE_URL is not set, so no server is there to test against');
} else {
  testCacheContract({
    url: () => cacheUrl,
    open: (url) => openCache({ cacheUrl: url, databaseUrl: 'postgres://unused.invalid/unused' }),
  });
  test('a server that refuses the password is reported with its answer', async () => {
    const url = new URL(cacheUrl);
    // A server without a password accepts any one of its default user.
    url.username = 'unknown';
    url.password = 'wrong';
    await assert.rejects(
      openCache({ cacheUrl: url.href, databaseUrl: 'postgres://unused.invalid/unused' }),
      /^CacheError: The cache store at \S+ refuses the connection \(.+\): check the password in CACHE_URL\.$/,
    );
  });
}
