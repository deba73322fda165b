import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { ProfileId } from '#core/ids.ts';
import { runRequest } from '#core/research/research.ts';
import { addResult, finishResearch, startRun } from '#storage/research/research.ts';
import { readLiveGate } from '#api/contract/live-checks.ts';
import { createProfile } from '#api/contract/profiles.ts';
import { abortBacktest, launchBacktest, readBacktest, repeatBacktest } from '#api/contract/research.ts';
import { changeAccountRisk, changeProfileRisk } from '#api/contract/risk.ts';
import { BTC, cachePrice, cacheRules, ETH, rulesOf } from '#test/api/test-records.ts';
import { openTestApi, type TestApi } from '#test/api/test-api.ts';
import { storedResultWith } from '#test/harness/stored-result.ts';

const WINDOW = { from: '2024-01-01T00:00:00.000Z', to: '2024-02-01T00:00:00.000Z' };
const [SOL, ADA] = [rulesOf('SOLUSDT', 'SOL'), rulesOf('ADABTC', 'ADA', 'BTC')];

let api: TestApi;
beforeEach(async () => {
  api = await openTestApi();
  await api.signUp();
  await cacheRules(api, [BTC, ETH, SOL, ADA]);
  for (const { symbol } of [BTC, ETH, SOL, ADA]) await cachePrice(api, symbol, '100');
});
afterEach(() => api[Symbol.asyncDispose]());

interface Body {
  readonly purse?: 'shared' | 'separate';
  readonly scope?: 'profile' | 'account';
  readonly symbols?: string[];
  readonly from?: string;
}
const launch = (id: ProfileId, body: Body = {}) =>
  api.call(launchBacktest, { params: { id }, body: { ...WINDOW, ...body } });
const refusal = async (id: ProfileId, body: Body) =>
  (await api.refusal(launchBacktest, { params: { id }, body: { ...WINDOW, ...body } })).errors;
const read = (id: ProfileId, runId: string) => api.call(readBacktest, { params: { id, runId } });

/** A profile with two coins; the other profile of its account has one. */
async function twoProfiles() {
  const { account, profile } = await api.addProfile('First', { symbols: [BTC.symbol, ETH.symbol] });
  const body = { accountId: account.id, name: 'Second', strategyName: 'momentum', symbols: [SOL.symbol] };
  const { profile: other } = await api.call(createProfile, { body });
  return { account, id: profile.id, other: other.id };
}

test('coins share the balance unless it is chosen otherwise, and the request keeps owners and limits', async () => {
  const { account, id, other } = await twoProfiles();
  const plain = await launch(id);
  assert.deepEqual(plain.warnings, []);
  const unlimited = await read(id, plain.runId);
  assert.deepEqual([unlimited.request['purse'], unlimited.request['scope']], ['shared', 'profile']);
  assert.equal('limits' in unlimited.request, false);
  assert.deepEqual(Object.keys(unlimited.configFingerprints), ['basket']);

  await api.call(changeProfileRisk, { params: { id }, body: { openPositions: 1 } });
  await api.call(changeProfileRisk, { params: { id: other }, body: { openPositions: 7 } });
  await api.call(changeAccountRisk, { params: { id: account.id }, body: { openPositions: 3 } });
  const { runId, warnings } = await launch(id);
  assert.deepEqual(
    warnings.map(({ code }) => code),
    ['other-profiles-not-counted'],
  );
  const { request, configFingerprints } = await read(id, runId);
  assert.notEqual(configFingerprints['basket'], unlimited.configFingerprints['basket']);
  // A change after the launch is not of this run.
  await api.call(changeProfileRisk, { params: { id }, body: { openPositions: 2 } });
  const kept = runRequest.parse((await read(id, runId)).request);
  assert.deepEqual(
    kept.limits?.limits.map(({ scope, subject, limits }) => [scope, subject, limits.openPositions]),
    [
      ['account', account.id, 3],
      ['profile', id, 1],
    ],
  );
  assert.deepEqual(
    kept.coins.map(({ symbol, profileId, strategyName }) => [symbol, profileId, strategyName]),
    [BTC.symbol, ETH.symbol].map((symbol) => [symbol, id, 'trailing-trade']),
  );
  const again = await api.call(repeatBacktest, { params: { id, runId }, body: { termsOf: plain.runId } });
  // A profile has at most three open backtests.
  await api.call(abortBacktest, { params: { id, runId } });
  assert.deepEqual((await read(id, again.runId)).request['limits'], request['limits']);
  const back = await api.call(repeatBacktest, { params: { id, runId: plain.runId }, body: { termsOf: runId } });
  assert.equal('limits' in (await read(id, back.runId)).request, false);
});

test('all profiles of the account take part with their own strategies and limits', async () => {
  const { account, id, other } = await twoProfiles();
  await api.addProfile('Of another account', { symbols: [BTC.symbol] });
  await api.call(changeProfileRisk, { params: { id: other }, body: { openPositions: 7 } });
  await api.call(changeAccountRisk, { params: { id: account.id }, body: { openPositions: 3 } });
  const { runId, warnings } = await launch(id, { scope: 'account' });
  assert.deepEqual(warnings, []);
  const run = await read(id, runId);
  const { coins, limits, scope } = runRequest.parse(run.request);
  assert.deepEqual(
    coins.map(({ symbol, profileId, strategyName }) => [symbol, profileId, strategyName]),
    [
      [BTC.symbol, id, 'trailing-trade'],
      [ETH.symbol, id, 'trailing-trade'],
      [SOL.symbol, other, 'momentum'],
    ],
  );
  assert.deepEqual([scope, limits?.limits.map(({ subject }) => subject)], ['account', [account.id, other]]);
  assert.deepEqual(run.configFingerprints, {}, 'what several profiles made together is no test of one of them');
});

test('what cannot share a balance is refused with the field', async () => {
  const { account, id } = await twoProfiles();
  const refusalTexts = async (body: Body) =>
    (await refusal(id, body))?.map(({ path, message }) => `${path} ${message}`) ?? [];
  assert.match(
    String(await refusalTexts({ purse: 'separate', scope: 'account' })),
    /^purse must be shared: all profiles/,
  );
  assert.match(
    String(await refusalTexts({ scope: 'account', symbols: [SOL.symbol] })),
    /^symbols names SOLUSDT, which the profile "Second" of the account trades$/,
  );
  assert.match(String(await refusalTexts({ symbols: [BTC.symbol, ADA.symbol] })), /^purse needs coins .* BTC, USDT$/);
  await api.call(createProfile, {
    body: { accountId: account.id, name: 'Third', strategyName: 'momentum', symbols: [ADA.symbol] },
  });
  assert.match(String(await refusalTexts({ scope: 'account' })), /^scope needs coins that are bought with one asset/);
  const body = { ...{ strategyName: 'rebalance' }, symbols: [BTC.symbol, ETH.symbol] };
  const basket = await api.addProfile('Basket', body);
  assert.match(
    String((await refusal(basket.profile.id, { purse: 'separate' }))?.[0]?.message),
    /rebalance plans over all coins/,
  );
});

test('a shared run of more candles than a worker may hold is refused, one coin at a time is not', async () => {
  const { id } = await twoProfiles();
  const window = { from: '2000-01-01T00:00:00.000Z' };
  assert.match(
    (await refusal(id, window))?.[0]?.message ?? '',
    /^makes 26 million candles of 1m in one run, more than 20/,
  );
  assert.ok((await launch(id, { ...window, purse: 'separate' })).runId);
});

const RESULT = storedResultWith({
  metrics: {
    ...{ profitFactor: 1.5, closedCycles: 40 },
    capital: { used: 500, returnOnUsed: 0.4, meanExposure: 0.3, equalExposure: 0.15, alpha: 0.05 },
  },
  holdout: { outOfSample: { totalReturn: 0.01 } },
  drawdown: { depth: 0.1 },
});

/** A run that the worker has finished, with a good result of each of its parts. */
async function finished(id: ProfileId, body: Body = {}): Promise<string> {
  const { kysely } = api.database;
  const { runId } = await launch(id, body);
  await startRun(kysely, runId);
  const result = { ...RESULT, to: api.now().toISOString() };
  for (const symbol of Object.keys((await read(id, runId)).configFingerprints))
    await addResult(kysely, runId, { symbol, result });
  await finishResearch(kysely, { id: runId, state: 'done' });
  return runId;
}

test('the gate takes a run of all coins together, and says why runs of single coins do not count', async () => {
  const { id } = await twoProfiles();
  const gate = async () => {
    const { clear, coins } = await api.call(readLiveGate, { params: { id } });
    return [clear, ...coins.map(({ symbol, verdict, sentence }) => `${symbol} ${verdict}: ${sentence}`)];
  };
  const none = 'basket no-backtest: No finished backtest has exactly these settings and coins: run one.';
  assert.deepEqual(await gate(), [false, none]);
  await finished(id, { purse: 'separate' });
  const apart = 'basket no-backtest: Its coins share money: run a backtest of all of them together.';
  assert.deepEqual(await gate(), [false, apart]);
  await finished(id, { symbols: [BTC.symbol] });
  await finished(id, { scope: 'account' });
  assert.deepEqual(await gate(), [false, apart], 'neither do some of its coins, nor those of the account');
  await finished(id);
  assert.match(String(await gate()), /^true,basket clear/);
  await api.call(changeProfileRisk, { params: { id }, body: { openPositions: 1 } });
  assert.match(String(await gate()), /^false,basket no-backtest/, 'it had no limits');
  await finished(id);
  assert.match(String(await gate()), /^true,basket clear/);
});

test('limits are part of what is tested of one coin; those that are not set change nothing', async () => {
  const { profile, account } = await api.addProfile('One coin', { symbols: [BTC.symbol] });
  const { id } = profile;
  const gate = async () => (await api.call(readLiveGate, { params: { id } })).coins[0];
  await finished(id, { purse: 'separate' });
  assert.deepEqual([(await gate())?.symbol, (await gate())?.verdict], [BTC.symbol, 'clear']);
  // An asset and a number of hours limit nothing.
  await api.call(changeAccountRisk, { params: { id: account.id }, body: { asset: 'USDT', drawdownHours: 48 } });
  assert.equal((await gate())?.verdict, 'clear');
  await api.call(changeAccountRisk, { params: { id: account.id }, body: { exposure: '500' } });
  assert.match((await gate())?.sentence ?? '', /ran without the current limits: run one with them/);
  await finished(id);
  assert.equal((await gate())?.verdict, 'clear');
});
