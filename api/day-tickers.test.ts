import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createAccount } from '#api/contract/accounts.ts';
import { listDayTickers } from '#api/contract/market.ts';
import { openTestApi, type TestApi } from '#test/api/test-api.ts';

const day = (symbol: string, bid: string, ask: string) => ({
  ...{ symbol, lastPrice: '100.5', priceChangePercent: '-2.5', highPrice: '104', quoteVolume: '1234567.5' },
  ...{ bidPrice: bid, askPrice: ask },
});
let api: TestApi;
let isUp = true;
before(async () => {
  api = await openTestApi({
    exchange: (_request, response) => {
      response.writeHead(isUp ? 200 : 500, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isUp ? [day('AAAUSDT', '99', '101'), day('BBBUSDT', '0', '0')] : {}));
    },
  });
  await api.signUp();
});
after(() => api[Symbol.asyncDispose]());

test('the last day of every coin has its change, volume and spread; one without best prices has no spread', async () => {
  const account = await api.call(createAccount, { body: { name: 'Test', exchangeMode: 'testnet' } });
  const { tickers } = await api.call(listDayTickers, { params: { id: account.id } });
  const rest = { last: 100.5, change: -0.025, volume: 1_234_567.5 };
  assert.deepEqual(tickers, [
    { symbol: 'AAAUSDT', ...rest, spread: 0.02 },
    { symbol: 'BBBUSDT', ...rest, spread: null },
  ]);
  isUp = false;
  assert.deepEqual(
    (await api.call(listDayTickers, { params: { id: account.id } })).tickers,
    tickers,
    'for some seconds',
  );
  api.advance(60_000);
  const refused = await api.refusal(listDayTickers, { params: { id: account.id } });
  assert.equal(refused.status, 502);
  assert.match(refused.detail ?? '', /^The last 24 hours cannot be read from/);
});
