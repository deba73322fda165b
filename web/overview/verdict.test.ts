import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AccountId, OrderId, ProfileId } from '#core/ids.ts';
import { idSchema } from '#core/id-schema.ts';
import type { Dashboard } from '#web/data/queries.ts';
import { accountGroups } from '#web/ui/accounts.ts';
import { type Evidence, verdictOf } from './verdict.ts';

const at = '2026-11-20T14:12:07.000Z';
const id = (n: number): string => `0190aaaa-0000-7000-8000-${String(n).padStart(12, '0')}`;
const accountId = idSchema<AccountId>().parse(id(1));
const profileId = idSchema<ProfileId>().parse(id(2));
const orderId = idSchema<OrderId>().parse(id(3));

type Account = Dashboard['accounts'][number];
const account = (changes: Partial<Account> = {}): Account => ({
  id: accountId,
  name: 'Paper',
  exchangeMode: 'testnet',
  endpoint: 'paper',
  resetAt: null,
  createdAt: at,
  apiKey: { label: '', last4: 'abcd', status: 'healthy', cause: null, checkedAt: at },
  equity: '10000',
  free: '9000',
  quoteAsset: 'USDT',
  realisedToday: '1',
  walletAt: at,
  run: null,
  marketAt: null,
  ...changes,
});

const profile: Dashboard['profiles'][number] = {
  id: profileId,
  accountId,
  name: 'First',
  strategyName: 'trailing-trade',
  config: {},
  enabled: true,
  symbols: ['BTCUSDT'],
  createdAt: at,
  updatedAt: at,
};

const unknown: Dashboard['orders'][number] = {
  id: orderId,
  profileId,
  symbol: 'BTCUSDT',
  side: 'buy',
  purpose: 'entry',
  type: 'MARKET',
  state: 'unknown',
  reason: 'near-low',
  quantity: '1',
  price: null,
  stopPrice: null,
  filledQuantity: '0',
  averageFillPrice: null,
  clientOrderId: 'tw1-x-e1',
  exchangeOrderId: null,
  createdAt: at,
  updatedAt: at,
};

const RELEASED = { engaged: false, since: null, by: null, reason: null, freeze: false, cancelEntryOrders: false };

const LIVE = { stream: 'live', frameAtMs: Date.parse(at), priceAgeMs: 400 } as const;

const kind = (dashboard: Partial<Dashboard> = {}, rest: Partial<Evidence> = {}): string => {
  const whole: Dashboard = {
    killSwitch: RELEASED,
    accounts: [account()],
    profiles: [profile],
    coins: [],
    unwatched: [],
    orders: [],
    fills: [],
    activity: [],
    ...dashboard,
  };
  const process = { sha: 'a', bootedAt: at };
  return verdictOf({
    dashboard: whole,
    group: accountGroups(whole)[0],
    status: { api: process, worker: process, db: { latestMigrationAppliedAt: at } },
    statusFailed: false,
    connection: LIVE,
    nowMs: Date.parse(at) + 5_000,
    ...rest,
  }).kind;
};

test('trading is only said when every check before it passed', () => {
  assert.equal(kind(), 'trading');
  assert.equal(kind({ profiles: [] }), 'no-profile');
  assert.equal(kind({}, { statusFailed: true }), 'service-silent');
  assert.equal(kind({ killSwitch: { ...RELEASED, engaged: true, since: at } }), 'stopped');
  assert.equal(kind({ accounts: [account({ walletAt: null })] }), 'wallet-unknown');
  assert.equal(kind({}, { nowMs: Date.parse(at) + 61_000 }), 'wallet-old');
  assert.equal(kind({ orders: [unknown] }), 'unanswered');
  assert.equal(kind({ profiles: [{ ...profile, enabled: false }] }), 'all-off');
  assert.equal(kind({ profiles: [{ ...profile, symbols: [] }] }), 'no-coin');
});

test('lost live updates are said before everything else', () => {
  const killSwitch = { ...RELEASED, engaged: true, since: at };
  assert.equal(kind({ killSwitch }, { connection: { ...LIVE, stream: 'lost' } }), 'lost');
});

test('a price of 5 s is said to be old', () => {
  assert.equal(kind({}, { connection: { ...LIVE, priceAgeMs: 4_999 } }), 'trading');
  assert.equal(kind({}, { connection: { ...LIVE, priceAgeMs: 5_000 } }), 'price-old');
});

test('a dead worker is said before a stopped one', () => {
  const status = { api: { sha: 'a', bootedAt: at }, worker: null, db: { latestMigrationAppliedAt: at } };
  const killSwitch = { ...RELEASED, engaged: true, since: at };
  assert.equal(kind({ killSwitch }, { status }), 'worker-down');
});

test('a refused key and a missing one keep an account from trading', () => {
  const apiKey = { label: '', last4: 'abcd', status: 'error', cause: 'revoked', checkedAt: at } as const;
  assert.equal(kind({ accounts: [account({ apiKey })] }), 'key-refused');
  assert.equal(
    kind({ accounts: [account({ endpoint: 'exchange', exchangeMode: 'live', apiKey: null })] }),
    'key-refused',
  );
});

test('an account that stops on faults again and again does not trade', () => {
  const faults = { count: 3, cause: 'The tickers cannot be read.', since: at };
  assert.equal(kind({ accounts: [account({ run: { downSince: at, faults, coins: [] } })] }), 'account-faults');
});

test('money of different kinds is never one group', () => {
  const live = account({
    id: idSchema<AccountId>().parse(id(9)),
    endpoint: 'exchange',
    exchangeMode: 'live',
    equity: '5',
  });
  const purses = accountGroups({ accounts: [account(), live, account()], profiles: [] });
  assert.deepEqual(
    purses.map((group) => [group.tag, group.accounts.length]),
    [
      ['LIVE', 1],
      ['PAPER', 2],
    ],
  );
});
