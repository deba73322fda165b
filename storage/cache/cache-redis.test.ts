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
}
