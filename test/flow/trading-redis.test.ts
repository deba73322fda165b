import { test } from 'node:test';
import { describeTrading, swingingMarket } from './trading.contract.ts';

const cacheUrl = process.env['TEST_CACHE_URL'];
if (cacheUrl === undefined || cacheUrl === '') {
  test('trading with Redis', { skip: 'TEST_CACHE_URL is not set, so there is no Redis to test with' }, () => {});
} else describeTrading('trading with Redis', swingingMarket(), { cacheUrl });
