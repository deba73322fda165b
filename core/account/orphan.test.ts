import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDecimal, requireDecimal as d, ZERO } from '#core/amount/decimal.ts';
import { type AccountId, newId, type ProfileId } from '#core/ids.ts';
import { clientOrderIdOf } from '#core/order/order.ts';
import { formOf, guessOwner, lockOf, type OrphanLock, orphansOn, proveOwner } from './orphan.ts';
import type { ExchangeOrder } from '#core/order/exchange-order.ts';
import type { ProfileToRun } from './profile-to-run.ts';

const profileOf = (name: string, symbols: readonly string[] = ['BTCUSDT'], config: unknown = {}): ProfileToRun => ({
  ...{ id: newId<ProfileId>(), accountId: newId<AccountId>(), name, strategyName: 'hold', config, enabled: true },
  captureUntil: null,
  symbols: symbols.map((symbol) => ({ symbol, overrideConfig: { over: symbol }, version: 0 })),
});
const idOf = (profile: ProfileToRun, symbol = 'BTCUSDT'): string =>
  clientOrderIdOf({ profileId: profile.id, symbol, purpose: 'stop', sequence: 7 });
/** Stands for a strategy that refuses what is marked so. */
const problemOf = (_strategy: string, merged: unknown): string | null =>
  JSON.stringify(merged).includes('illegal') ? 'buy.candleLimit is above the maximum 999' : null;

const mine = profileOf('Mine');
const other = profileOf('Other', ['ETHUSDT']);
const odd = profileOf('Odd', ['BTCUSDT'], { illegal: true });
const overridden: ProfileToRun = {
  ...profileOf('Overridden'),
  symbols: [{ symbol: 'BTCUSDT', overrideConfig: { illegal: 1 }, version: 0 }],
};

test('an owner is proven by exactly one id that is derived again under a parsed config', () => {
  const cases: [string, string, readonly ProfileToRun[]][] = [
    ['proven', idOf(mine), [other, mine, odd]],
    ['owner-not-proven', 'web_1234', [other, mine, odd]],
    ['owner-not-proven', idOf(profileOf('Deleted')), [other, mine, odd]],
    ['owner-not-proven', idOf(mine, 'ETHUSDT'), [other, mine, odd]],
    ['owner-ambiguous', idOf(mine), [mine, mine]],
    ['config-not-parsable', idOf(odd), [other, mine, odd]],
    ['config-not-parsable', idOf(overridden), [overridden]],
    ['coin-not-bound', idOf(other), [other, mine]],
  ];
  for (const [expected, clientOrderId, profiles] of cases) {
    const found = proveOwner({ symbol: 'BTCUSDT', clientOrderId }, profiles, problemOf);
    assert.equal(found.kind === 'proven' ? 'proven' : found.code, expected, clientOrderId);
  }
  const proven = proveOwner({ symbol: 'BTCUSDT', clientOrderId: idOf(mine) }, [mine], problemOf);
  assert.ok(proven.kind === 'proven');
  assert.deepEqual([proven.profile.name, proven.own.purpose, proven.own.sequence], ['Mine', 'stop', 7]);
});

test('a guess names what speaks for it', () => {
  const guess = (clientOrderId: string, profiles: readonly ProfileToRun[]) => {
    const { profile, proven, evidence } = guessOwner({ symbol: 'BTCUSDT', clientOrderId }, profiles, problemOf);
    return [profile?.name ?? null, proven, evidence] as const;
  };
  assert.deepEqual(guess(idOf(mine), [mine]), ['Mine', true, 'The id is that of stop number 7 of BTCUSDT in "Mine".']);
  const [name, proven, evidence] = guess(idOf(odd), [odd]);
  assert.deepEqual([name, proven], ['Odd', false]);
  assert.match(evidence, /cannot be parsed by the profile's strategy \(buy\.candleLimit is above/);
  assert.deepEqual(guess('web_1', [mine]), [
    'Mine',
    false,
    'The id does not come from this service; "Mine" trades BTCUSDT.',
  ]);
  assert.match(guess(idOf(profileOf('Deleted')), [other])[2], /^The id has the form .* no profile of this account\.$/);
});

const order: ExchangeOrder = {
  ...{ symbol: 'BTCUSDT', exchangeOrderId: '1', clientOrderId: 'web_1', side: 'sell', state: 'open', type: 'LIMIT' },
  ...{ quantity: d('2'), filledQuantity: d('0.5'), filledQuote: ZERO, price: d('100'), stopPrice: ZERO },
  updatedAt: new Date(0),
};
const BTC = { baseAsset: 'BTC', quoteAsset: 'USDT' };

test('a sale locks what it has not sold, a buy what it may still spend, an order list once', () => {
  const text = (lock: Omit<OrphanLock, 'left'>) => `${formatDecimal(lock.amount)} ${lock.asset} of ${lock.baseAsset}`;
  assert.equal(text(lockOf(order, BTC)), '1.5 BTC of BTC');
  assert.equal(text(lockOf({ ...order, side: 'buy' }, BTC)), '150 USDT of BTC');
  assert.equal(text(lockOf({ ...order, side: 'buy', price: ZERO, stopPrice: d('120') }, BTC)), '180 USDT of BTC');
  assert.equal(text(lockOf(order, undefined)), '1.5 null of null');
  const locks = [
    { ...lockOf(order, BTC), left: false },
    { ...lockOf({ ...order, side: 'buy' }, BTC), left: true },
    { ...lockOf({ ...order, exchangeOrderId: '2', listId: '9' }, BTC), left: false },
    { ...lockOf({ ...order, exchangeOrderId: '3', listId: '9' }, BTC), left: false },
    { ...lockOf(order, { ...BTC, baseAsset: 'ETH' }), left: false },
  ];
  assert.deepEqual(orphansOn('BTC', locks), { orders: 4, left: 1, locked: d('3'), lockedBy: ['1', '2', '3'] });
  assert.deepEqual(orphansOn('SOL', locks), { orders: 0, left: 0, locked: ZERO, lockedBy: [] });
});

test('orders are adopted in forms that the engine knows; a leg of a list is not', () => {
  const cases: [Partial<ExchangeOrder>, string | null][] = [
    [{ type: 'LIMIT' }, 'limit'],
    [{ type: 'LIMIT_MAKER' }, 'limit'],
    [{ type: 'STOP_LOSS_LIMIT', stopPrice: d('101') }, 'stop-loss-limit'],
    [{ type: 'STOP_LOSS', stopPrice: d('101') }, 'stop-loss'],
    [{ type: 'STOP_LOSS', trailingBips: 150 }, 'trailing-stop'],
    [{ type: 'STOP_LOSS_LIMIT', trailingBips: 150 }, null],
    [{ type: 'TAKE_PROFIT_LIMIT' }, null],
    [{ type: 'STOP_LOSS_LIMIT', listId: '9' }, null],
    [{ type: 'LIMIT_MAKER', listId: '9' }, null],
  ];
  for (const [change, type] of cases) assert.equal(formOf({ ...order, ...change })?.type ?? null, type);
});
