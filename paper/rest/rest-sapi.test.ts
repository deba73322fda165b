import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientOf, type Key, pick } from '#test/paper/client.ts';
import type { PaperExchange } from '#paper/server.ts';
import { startTestServer } from '#test/paper/test-server.ts';

const ann: Key = { apiKey: 'ann-key', secret: 'ann-secret' };
const balances = { USDT: '1000', BTC: '0.00001', ETH: '0.0005' };
const start = (): Promise<PaperExchange> => startTestServer([{ name: 'ann', ...ann, makerBps: 7.5, balances }]);

test('other markets have no symbols, and the system status is normal', async () => {
  await using paper = await start();
  const send = clientOf(paper.url);
  for (const market of ['fapi', 'dapi'])
    assert.deepEqual(pick((await send(`GET /${market}/v1/exchangeInfo`)).body, 'symbols'), []);
  assert.deepEqual((await send('GET /sapi/v1/system/status')).body, { status: 0, msg: 'normal' });
  for (const path of ['margin/allPairs', 'margin/isolated/allPairs', 'spot/delist-schedule'])
    assert.deepEqual((await send(`GET /sapi/v1/${path}`, {}, ann)).body, [], path);
});

test('every asset of the markets is listed with the balance of the account', async () => {
  await using paper = await start();
  const coins = (await clientOf(paper.url)('GET /sapi/v1/capital/config/getall', {}, ann)).body;
  assert.ok(Array.isArray(coins));
  const usdt = coins.find((coin) => coin.coin === 'USDT');
  assert.deepEqual([usdt.free, usdt.trading, usdt.withdrawAllEnable], ['1000.00000000', true, false]);
});

test('trade fees are the rates of the account', async () => {
  await using paper = await start();
  const fees = await clientOf(paper.url)('GET /sapi/v1/asset/tradeFee', { symbol: 'LTCBTC' }, ann);
  assert.deepEqual(fees.body, [{ symbol: 'LTCBTC', makerCommission: '0.00075000', takerCommission: '0.00100000' }]);
});

test('dust is converted to BNB, less 2 %, once', async () => {
  await using paper = await start();
  const send = clientOf(paper.url);
  const listed = (await send('POST /sapi/v1/asset/dust-btc', {}, ann)).body;
  const details = pick(listed, 'details');
  assert.ok(Array.isArray(details));
  assert.deepEqual(new Set(details.map((row) => row.asset)), new Set(['BTC', 'ETH']));
  const done = (await send('POST /sapi/v1/asset/dust', { asset: 'BTC,ETH' }, ann)).body;
  const balances = pick((await send('GET /api/v3/account', { omitZeroBalances: 'true' }, ann)).body, 'balances');
  assert.ok(Array.isArray(balances));
  assert.deepEqual(new Set(balances.map((row) => row.asset)), new Set(['BNB', 'USDT']));
  const bnb = balances.find((row) => row.asset === 'BNB');
  assert.equal(bnb.free, pick(done, 'totalTransfered'));
  const [gross, fee] = [Number(pick(listed, 'totalTransferBNB')), Number(pick(done, 'totalServiceCharge'))];
  assert.ok(Math.abs(Number(bnb.free) + fee - gross) < 1e-8 && Math.abs(fee - gross * 0.02) < 2e-8);
  assert.equal((await send('POST /sapi/v1/asset/dust', { asset: 'BTC' }, ann)).status, 400);
});

test('dust is converted to another asset too', async () => {
  await using paper = await start();
  const send = clientOf(paper.url);
  const path = 'POST /sapi/v1/asset/dust-convert';
  const listed = (await send(`${path}/query-convertible-assets`, { targetAsset: 'USDT' }, ann)).body;
  assert.deepEqual([pick(listed, 'details.0.asset'), pick(listed, 'details.2')], ['BTC', undefined]);
  const done = (await send(`${path}/convert`, { asset: 'BTC', targetAsset: 'USDT' }, ann)).body;
  assert.equal(pick(done, 'totalTransfered'), pick(listed, 'details.0.toTargetAssetOffExchange'));
  const left = pick((await send('GET /api/v3/account', { omitZeroBalances: 'true' }, ann)).body, 'balances');
  assert.ok(Array.isArray(left));
  assert.deepEqual(new Set(left.map((row) => row.asset)), new Set(['ETH', 'USDT']));
});
