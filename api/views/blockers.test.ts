import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Halt } from '#core/account/halts.ts';
import { NO_LIMITS } from '#core/account/risk.ts';
import { type AccountId, newId, type OrderId, type ProfileId } from '#core/ids.ts';
import { BTC, ETH } from '#test/api/test-records.ts';
import { type AccountFacts, blockersOf, type Facts } from './blockers.ts';
import type { CoinView } from './coins.ts';

const now = new Date('2026-11-20T14:12:07.000Z');
const LATER = new Date('2026-11-20T14:34:00.000Z');
const accountId = newId<AccountId>();
const profileId = newId<ProfileId>();
const orderId = newId<OrderId>();

const coin = (symbol: string, changes: Partial<CoinView> = {}): CoinView => ({
  symbol,
  baseAsset: symbol.replace('USDT', ''),
  quoteAsset: 'USDT',
  ...{ tickSize: '0.01', stepSize: '0.00001', overrideConfig: {}, price: '50000', priceAt: now.toISOString() },
  ...{ pause: null, cooldownUntil: null, costBasis: null, blockers: [], untracked: null },
  position: {
    ...{ quantity: '0', averagePrice: '0', cost: '0', value: null, unrealised: null },
    ...{ realised: '0', fees: '0', unvaluedFees: 0, cycle: 1, openedAt: null },
  },
  state: {
    at: now.toISOString(),
    decision: { kind: 'nothing', reason: 'wait', sentence: 'Waiting: above the buy price.', numbers: {} },
    approval: { kind: 'not-needed' },
    plan: [],
  },
  ...changes,
});

const refused = (reason: string, sentence: string): Partial<CoinView> => ({
  state: {
    at: now.toISOString(),
    decision: { kind: 'buy', reason, sentence, numbers: {} },
    approval: { kind: 'refused', reason },
    plan: [],
  },
});

const account: AccountFacts['account'] = {
  ...{ id: accountId, name: 'Main', exchangeMode: 'testnet', endpoint: 'exchange', epoch: 1 },
  ...{ createdAt: now, resetAt: null },
  apiKey: { label: '', last4: 'abcd', status: 'healthy', cause: null, checkedAt: now },
};
const profile: AccountFacts['profiles'][number] = {
  ...{ id: profileId, accountId, name: 'Dip ladder', strategyName: 'trailing-trade', config: {} },
  ...{ enabled: true, symbols: ['BTCUSDT', 'ETHUSDT'], createdAt: now, updatedAt: now },
};

const facts = (changes: Partial<AccountFacts> = {}, rest: Partial<Facts> = {}): Facts => ({
  ...{ workers: 1, halts: [], unconfirmed: [], now },
  accounts: [
    {
      account,
      profiles: [profile],
      coins: ['BTCUSDT', 'ETHUSDT'].map((symbol) => ({ profileId, coin: coin(symbol) })),
      run: { downSince: null, faults: null, coins: [] },
      wallet: {
        ...{ at: now.toISOString(), keptAt: now.toISOString() },
        balances: { USDT: { free: '100', locked: '0' } },
      },
      rules: new Map([BTC, ETH].map((rules) => [rules.symbol, rules])),
      limits: [],
      market: undefined,
      ...changes,
    },
  ],
  ...rest,
});
const withCoins = (...coins: CoinView[]): Partial<AccountFacts> => ({
  coins: coins.map((one) => ({ profileId, coin: one })),
});
const shown = (found: ReturnType<typeof blockersOf>): string[] =>
  found.list.filter(({ behind }) => !behind).map(({ name, sentence }) => `${name ?? ''} ${sentence}`.trim());

const ALL: Halt = { scope: 'all', subject: 'all', since: now, reason: '', freeze: false };

test('without a blocker the coins wait for their buy price', () => {
  assert.deepEqual(blockersOf(facts()), {
    ...{ checkedAt: now, list: [], waiting: 2, coins: 2, undecided: 0 },
  });
});

test('a held coin does not wait for its buy price', () => {
  const held = coin('BTCUSDT', { position: { ...coin('BTCUSDT').position, quantity: '0.1' } });
  assert.equal(blockersOf(facts(withCoins(held, coin('ETHUSDT')))).waiting, 1);
});

test('a coin without a decision is counted as undecided', () => {
  assert.equal(blockersOf(facts(withCoins(coin('BTCUSDT', { state: null })))).undecided, 1);
});

test('a worker that is down hides a stopped kill switch, which is still listed', () => {
  const found = blockersOf(facts({}, { workers: 0, halts: [ALL] }));
  assert.deepEqual(
    found.list.map(({ kind, behind, everything }) => [kind, behind, everything]),
    [
      ['worker-down', false, true],
      ['buying-stopped', true, true],
    ],
  );
});

test('the kill switch of everything blocks all coins', () => {
  const found = blockersOf(facts(withCoins(coin('BTCUSDT', { cooldownUntil: LATER })), { halts: [ALL] }));
  assert.deepEqual(shown(found), ['Buying is stopped on all accounts']);
  assert.equal(found.list[0]?.since, now);
  assert.deepEqual([found.waiting, found.list[1]?.kind, found.list[1]?.behind], [0, 'cool-down', true]);
});

test('a kill switch of the profile hides the blockers of its coins', () => {
  const halt: Halt = { ...ALL, scope: 'profile', subject: profileId, reason: 'News' };
  const found = blockersOf(facts(withCoins(coin('BTCUSDT', { cooldownUntil: LATER })), { halts: [halt] }));
  assert.deepEqual(shown(found), ['Dip ladder buys nothing (News)']);
});

test('a paused coin is listed before its cool-down', () => {
  const pause = { since: now, until: LATER, reason: '' };
  const found = blockersOf(facts(withCoins(coin('BTCUSDT', { pause, cooldownUntil: LATER }), coin('ETHUSDT'))));
  assert.deepEqual(shown(found), [`BTC is paused until ${LATER.toISOString()}.`]);
  assert.equal(found.waiting, 1);
});

test('a cool-down that has ended at market time is no blocker', () => {
  const cooled = withCoins(coin('BTCUSDT', { cooldownUntil: LATER }));
  const market = { marketMs: LATER.getTime() + 1, wallMs: now.getTime(), speed: 1, replays: true };
  assert.deepEqual(blockersOf(facts({ ...cooled, market })).list, []);
});

test('in a replay the end of a pause is shown at market time', () => {
  const market = { marketMs: Date.parse('2022-06-01T12:00:00.000Z'), wallMs: now.getTime(), speed: 600, replays: true };
  const pause = { since: now, until: new Date(now.getTime() + 1_000), reason: '' };
  const found = blockersOf(facts({ market, ...withCoins(coin('BTCUSDT', { pause })) }));
  assert.deepEqual(shown(found), ['BTC is paused until 2022-06-01T12:10:00.000Z.']);
});

test('a paused profile is listed, its coins are not', () => {
  const found = blockersOf(facts({ profiles: [{ ...profile, enabled: false }] }));
  assert.deepEqual(shown(found), ['Dip ladder is paused.']);
  assert.deepEqual([found.coins, found.list[0]?.everything], [0, false]);
});

test('a reached limit is listed with its sentence', () => {
  const standing = {
    limit: 'openPositions',
    blocked: true,
    scope: 'account',
    used: 5,
    most: 5,
    until: null,
    sentence: 'Not buying: the account holds 5 of at most 5 positions.',
  } as const;
  const limits: AccountFacts['limits'] = [
    { scope: 'account', subject: accountId, limits: NO_LIMITS, standings: [standing] },
  ];
  assert.deepEqual(shown(blockersOf(facts({ limits }))), [
    'Main buys nothing: the account holds 5 of at most 5 positions.',
  ]);
});

test('an unconfirmed order names its coin and is listed before an old wallet', () => {
  const keptAt = '2026-11-20T14:11:06.000Z';
  const wallet = { at: keptAt, keptAt, balances: { USDT: { free: '100', locked: '0' } } };
  const unconfirmed = [{ id: orderId, profileId, symbol: 'BTCUSDT', createdAt: now }];
  const found = blockersOf(facts({ wallet }, { unconfirmed }));
  assert.deepEqual(
    found.list.map(({ kind, name, orderId: order }) => [kind, name, order]),
    [
      ['order-unconfirmed', 'BTC', orderId],
      ['wallet', 'Main', null],
    ],
  );
});

test('a refused API key, a missing wallet and a run that fails stop the account', () => {
  const apiKey = { label: '', last4: 'abcd', status: 'error', cause: 'revoked', checkedAt: now } as const;
  const faults = { count: 3, cause: 'The tickers cannot be read.', since: now.toISOString() };
  const run = { downSince: now.toISOString(), faults, coins: [] };
  const found = blockersOf(facts({ account: { ...account, apiKey }, wallet: undefined, run }));
  assert.deepEqual(
    found.list.map(({ kind, behind }) => [kind, behind]),
    [
      ['account-down', false],
      ['api-key', true],
      ['wallet', true],
    ],
  );
});

test('a lost price stream stops buying before an old wallet does', () => {
  const run = { downSince: null, faults: null, streamConnected: false, coins: [] };
  assert.deepEqual(
    blockersOf(facts({ run, wallet: undefined })).list.map(({ kind }) => kind),
    ['price', 'wallet'],
  );
});

test('a rating that the engine refused is listed; without a worker nobody knows it', () => {
  const rated = withCoins(coin('BTCUSDT', refused('rating-too-low', 'Not buying: the rating on 1h candles is SELL.')));
  assert.deepEqual(shown(blockersOf(facts(rated))), ['BTC is not bought: the rating on 1h candles is SELL.']);
  assert.deepEqual(
    blockersOf(facts(rated, { workers: 0 })).list.map(({ kind }) => kind),
    ['worker-down'],
  );
});

test('missing trading rules and a balance below the smallest order are listed', () => {
  assert.match(shown(blockersOf(facts({ rules: undefined })))[0] ?? '', /^BTC has no trading rules yet/);
  const keptAt = now.toISOString();
  const wallet = { at: keptAt, keptAt, balances: { USDT: { free: '4', locked: '0' } } };
  assert.equal(
    shown(blockersOf(facts({ wallet })))[0],
    'BTC cannot be bought: 4 USDT are available, the smallest order is 5 USDT.',
  );
});
