import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AccountId, ProfileId } from '#core/ids.ts';
import { idSchema } from '#core/id-schema.ts';
import type { Blocker } from '#web/data/blockers.ts';
import type { Dashboard } from '#web/data/answers.ts';
import { accountGroups } from '#web/ui/accounts.ts';
import { type Evidence, verdictOf } from './verdict.ts';

const at = '2026-11-20T14:12:07.000Z';
const id = (n: number): string => `0190aaaa-0000-7000-8000-${String(n).padStart(12, '0')}`;
const accountId = idSchema<AccountId>().parse(id(1));
const profileId = idSchema<ProfileId>().parse(id(2));

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
  pnlToday: { amount: '1', share: 0.0001 },
  unrealised: '0',
  exposure: '0',
  positions: 0,
  unpriced: 0,
  locked: '0',
  takerFee: 0.001,
  stops: { kept: 0, onExchange: 0, result: null },
  drawdown: null,
  limits: [],
  walletAt: at,
  run: null,
  marketAt: null,
  replay: null,
  ...changes,
});

const profile: Dashboard['profiles'][number] = {
  id: profileId,
  accountId,
  name: 'First',
  strategyName: 'trailing-trade',
  takesSignals: false,
  config: {},
  enabled: true,
  symbols: ['BTCUSDT'],
  createdAt: at,
  updatedAt: at,
};

const RELEASED = { engaged: false, since: null, by: null, reason: null, freeze: false, cancelEntryOrders: false };
const CLEAR: Dashboard['blockers'] = { checkedAt: at, list: [], waiting: 1, coins: 1, undecided: 0 };

const blocker = (kind: Blocker['kind'], changes: Partial<Blocker> = {}): Blocker => ({
  kind,
  ...{ scope: 'account', accountId, profileId: null, symbol: null, name: 'Paper' },
  ...{ sentence: 'is blocked.', since: at, orderId: null, behind: false, everything: true },
  ...changes,
});
const blocked = (...list: Blocker[]): Partial<Dashboard> => ({ blockers: { ...CLEAR, list } });

const LIVE = { stream: 'live', frameAtMs: Date.parse(at), priceAgeMs: 400 } as const;

const kind = (dashboard: Partial<Dashboard> = {}, rest: Partial<Evidence> = {}): string => {
  const whole: Dashboard = {
    killSwitch: RELEASED,
    blockers: CLEAR,
    accounts: [account()],
    profiles: [profile],
    coins: [],
    unwatched: [],
    orders: [],
    trades: [],
    fills: [],
    activity: [],
    ...dashboard,
  };
  const verdict = verdictOf({
    dashboard: whole,
    group: accountGroups(whole)[0],
    failed: false,
    connection: LIVE,
    ...rest,
  });
  return verdict.kind === 'blocked' ? verdict.blocker.kind : verdict.kind;
};

test('trading is only said when every check before it passed', () => {
  assert.equal(kind(), 'trading');
  assert.equal(kind({ profiles: [] }), 'no-profile');
  assert.equal(kind({}, { failed: true }), 'service-silent');
  assert.equal(kind({ profiles: [{ ...profile, enabled: false }] }), 'all-off');
  assert.equal(kind({ blockers: { ...CLEAR, coins: 0 } }), 'no-coin');
});

test('the first blocker of everything is the verdict', () => {
  assert.equal(kind(blocked(blocker('worker-down'), blocker('buying-stopped'))), 'worker-down');
  assert.equal(kind(blocked(blocker('buying-stopped'), blocker('wallet'))), 'buying-stopped');
  assert.equal(kind(blocked(blocker('wallet'))), 'wallet');
});

test('a blocker of one of several coins leaves the verdict alone', () => {
  const one = { scope: 'coin', symbol: 'BTCUSDT', profileId, everything: false } as const;
  assert.equal(kind(blocked(blocker('coin-paused', one), blocker('limit', one))), 'trading');
});

test('an unconfirmed order is the verdict, also of one coin', () => {
  const one = { scope: 'coin', symbol: 'BTCUSDT', profileId, everything: false } as const;
  assert.equal(kind(blocked(blocker('order-unconfirmed', one))), 'unconfirmed');
});

test('lost live updates are said before everything else', () => {
  assert.equal(kind(blocked(blocker('worker-down')), { connection: { ...LIVE, stream: 'lost' } }), 'lost');
});

test('a price of 5 s is the verdict', () => {
  assert.equal(kind({}, { connection: { ...LIVE, priceAgeMs: 4_999 } }), 'trading');
  assert.equal(kind({}, { connection: { ...LIVE, priceAgeMs: 5_000 } }), 'price');
});

test('an old price is said after a stopped kill switch and before an old wallet', () => {
  const connection = { ...LIVE, priceAgeMs: 5_000 };
  assert.equal(kind(blocked(blocker('buying-stopped')), { connection }), 'buying-stopped');
  assert.equal(kind(blocked(blocker('wallet')), { connection }), 'price');
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
