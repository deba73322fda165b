import assert from 'node:assert/strict';
import { test } from 'node:test';
import { APPROVAL_REASONS, describe } from '#core/decision/decision.ts';
import { formatDecimal, requireDecimal as d, ZERO } from '#core/amount/decimal.ts';
import { newId } from '#core/ids.ts';
import { FLAT } from '#core/position/position.ts';
import type { SymbolRules } from '#core/market/symbol.ts';
import { type ApprovalContext, approve } from './approve.ts';

const rules: SymbolRules = {
  symbol: 'BTCUSDT',
  status: 'TRADING',
  baseAsset: 'BTC',
  quoteAsset: 'USDT',
  orderTypes: ['MARKET', 'STOP_LOSS_LIMIT'],
  price: { tick: d('0.01'), min: d('0.01'), max: d('1000000') },
  lot: { step: d('0.00001'), min: d('0.00001'), max: d('9000') },
  marketLot: { step: ZERO, min: ZERO, max: d('100') },
  notional: { min: d('5'), max: ZERO, minAppliesToMarket: true },
  band: null,
};

const now = new Date('2022-06-01T00:00:00Z');
const ready: ApprovalContext = {
  accountId: newId(),
  profileId: newId(),
  enabled: true,
  keyStatus: 'healthy',
  halts: [],
  rules,
  price: d('30000'),
  priceAgeMs: 100,
  now,
  position: FLAT,
  levels: [],
  freeQuote: d('1000'),
  equity: () => d('1000'),
  freeBase: ZERO,
  shared: { entryBudget: d('150'), lossCooldownMs: 0, stopMultiple: d('0.97'), stopLimitOffset: d('0.995') },
  takerFee: 0.001,
  baseFeeRate: 0.001,
  pending: null,
  stop: null,
  orphans: { orders: 0, left: 0, locked: ZERO, lockedBy: [] },
  unreadOrder: null,
  waiting: null,
  gates: null,
  candles: null,
  quantityInOpenSells: ZERO,
  refusals: () => undefined,
  risk: { refusal: () => undefined, rooms: () => [] },
};
const buy = { kind: 'buy', reason: 'entry-first', level: 0 } as const;
const sell = { kind: 'sell', reason: 'exit-trail', lots: 'all' } as const;
const halt = { scope: 'all', subject: 'all', since: now, reason: '', freeze: false } as const;
const stray = { orders: 1, left: 1, locked: d('0.01'), lockedBy: ['77'] };
const held = { ...FLAT, quantity: d('0.01'), averagePrice: d('30000'), firstBuyAt: now };

test('an entry is sized on the grid and keeps its exit sellable', () => {
  const result = approve(buy, ready);
  assert.equal(result.kind, 'approved');
  assert.equal(result.kind === 'approved' && formatDecimal(result.order.quantity), '0.00499');
});

test('a level spends its own budget, less what it has filled; the plan of its first order stays', () => {
  const levels = [d('150'), d('90')].map((spend) => ({ spend, least: null, trigger: d('0.96') }));
  const filled = (level: number, plannedQuote: string, filledQuote: string) => ({
    level,
    plannedQuote: d(plannedQuote),
    filledQuote: d(filledQuote),
  });
  const context = { ...ready, position: held, shared: { ...ready.shared, levels } };
  const orderOf = (known: ApprovalContext['levels']) => {
    const result = approve({ ...buy, level: 1 }, { ...context, levels: known });
    assert.equal(result.kind, 'approved');
    return result.kind === 'approved' ? [formatDecimal(result.order.quantity), result.order.entry] : [];
  };
  assert.deepEqual(orderOf([filled(0, '150', '149')]), ['0.00299', { level: 1, plannedQuote: d('90') }]);
  assert.deepEqual(orderOf([filled(1, '120', '30.06')]), ['0.00299', { level: 1, plannedQuote: d('120') }]);
});

test('a share of the equity is spent, or lost at the stop', () => {
  const quoteOf = (mode: 'percent-of-equity' | 'risk-at-stop', percent: string) => {
    const shared = { ...ready.shared, entryBudget: ZERO, equityShare: { mode, percent: d(percent) } };
    const result = approve(buy, { ...ready, shared });
    return result.kind === 'approved' && result.numbers['budget'];
  };
  assert.equal(quoteOf('percent-of-equity', '0.05'), '50');
  assert.equal(quoteOf('risk-at-stop', '0.05'), '500');
});

test('a cap makes an order smaller, and names itself when nothing is left', () => {
  const capped = (symbolExposure: string, positionLoss: string | null = null) => {
    const caps = { symbolExposure: d(symbolExposure), positionLoss: positionLoss === null ? null : d(positionLoss) };
    return approve(buy, { ...ready, position: held, shared: { ...ready.shared, caps } });
  };
  const smaller = capped('400');
  assert.equal(smaller.kind === 'approved' && smaller.numbers['budget'], '100');
  const refused = capped('303');
  assert.deepEqual(refused, {
    kind: 'refused',
    reason: 'cap-symbol-exposure',
    numbers: { cap: '303', used: '300', room: '3' },
  });
  const losing = capped('1000', '3');
  assert.equal(losing.kind === 'refused' && losing.reason, 'cap-position-loss');
  const wider = (room: string) =>
    approve(buy, {
      ...ready,
      risk: {
        ...ready.risk,
        rooms: () => [{ reason: 'cap-account-exposure', cap: d('900'), used: d('1'), room: d(room) }],
      },
    });
  const within = wider('80');
  assert.equal(within.kind === 'approved' && within.numbers['budget'], '80');
  const full = wider('5');
  assert.deepEqual(full.kind === 'refused' && [full.reason, full.numbers['used']], ['cap-account-exposure', '1']);
});

test('a level is refused below its planned spend, and an add counts the held quantity towards the exit', () => {
  const levels = [{ spend: d('5.3'), least: d('5.31'), trigger: d('1') }];
  const shared = { ...ready.shared, levels };
  const refused = approve(buy, { ...ready, shared });
  assert.deepEqual(refused.kind === 'refused' && [refused.reason, refused.numbers['minOrderQuote']], [
    'size-below-minimum',
    '5.31',
  ]);
  const tight = { ...ready, shared: { ...shared, levels: [{ spend: d('5.3'), least: null, trigger: d('1') }] } };
  assert.equal(approve(buy, tight).kind, 'refused');
  assert.equal(approve(buy, { ...tight, position: held }).kind, 'approved');
});

const refusals: readonly [string, Partial<ApprovalContext>, string][] = [
  ['an engaged kill switch', { halts: [halt] }, 'halt-kill-switch'],
  ['a disabled profile', { enabled: false }, 'halt-profile-disabled'],
  ['a key in error', { keyStatus: 'error' }, 'data-key-unhealthy'],
  ['a key that was never checked', { keyStatus: null }, 'data-key-unhealthy'],
  ['a halted coin', { rules: { ...rules, status: 'HALT' } }, 'data-symbol-not-trading'],
  ['a coin with unreadable rules', { rules: { ...rules, status: 'unreadable' } }, 'data-symbol-not-trading'],
  ['an old price', { priceAgeMs: 10_001 }, 'stale-price'],
  ['an unknown order', { pending: { clientOrderId: 'x', unknown: true, certainAt: now } }, 'order-unknown'],
  ['an order in flight', { pending: { clientOrderId: 'x', unknown: false, certainAt: now } }, 'order-in-flight'],
  ['an open order that could not be read', { unreadOrder: 'It has an unknown status.' }, 'data-order-unreadable'],
  ['an order of the coin that nobody tracks', { orphans: { ...stray, left: 0 } }, 'base-locked-by-orphan'],
  ['a cooldown', { position: { ...FLAT, cooldownUntil: new Date(now.getTime() + 1) } }, 'cooldown-loss'],
  ['a limit', { risk: { ...ready.risk, refusal: () => ({ reason: 'halt-drawdown', numbers: {} }) } }, 'halt-drawdown'],
  [
    'a breaker',
    { refusals: () => ({ times: 3, message: 'no', untilMs: 0, opened: true }) },
    'order-refused-repeatedly',
  ],
  ['no money', { freeQuote: d('4') }, 'size-no-funds'],
  ['a budget below the minimum order', { shared: { ...ready.shared, entryBudget: d('4') } }, 'size-below-minimum'],
  [
    'an entry whose stop could not be sold',
    { shared: { ...ready.shared, entryBudget: d('5.3') } },
    'size-exit-infeasible',
  ],
];
for (const [name, change, reason] of refusals) {
  test(`an entry is refused for ${name}`, () => {
    const result = approve(buy, { ...ready, ...change });
    assert.equal(result.kind === 'refused' && result.reason, reason);
  });
}

test('an exit passes a kill switch, a limit, a disabled profile, an old price and a cooldown', () => {
  const risk = { ...ready.risk, refusal: () => ({ reason: 'halt-daily-loss', numbers: {} }) as const };
  const context = {
    ...ready,
    risk,
    position: held,
    freeBase: d('0.01'),
    halts: [halt],
    enabled: false,
    priceAgeMs: 1e6,
  };
  const result = approve(sell, context);
  assert.equal(result.kind === 'approved' && formatDecimal(result.order.quantity), '0.01');
});

test('only a freezing kill switch stops an exit', () => {
  const result = approve(sell, { ...ready, position: held, freeBase: d('0.01'), halts: [{ ...halt, freeze: true }] });
  assert.equal(result.kind === 'refused' && result.reason, 'halt-frozen');
});

test('an exit never sells more than the wallet has, rounded down to the step', () => {
  const result = approve(sell, { ...ready, position: held, freeBase: d('0.009999') });
  assert.equal(result.kind === 'approved' && formatDecimal(result.order.quantity), '0.00999');
});

test('an order that was left refuses no buy; a sale that it blocks names it', () => {
  assert.equal(approve(buy, { ...ready, orphans: stray }).kind, 'approved');
  const result = approve(sell, { ...ready, position: held, orphans: stray });
  assert.ok(result.kind === 'refused');
  assert.match(
    describe(APPROVAL_REASONS[result.reason], result.numbers),
    /^Not selling: the wallet has 0 free of the 0.01 held. Order 77 belongs to no profile and locks 0.01: adopt/,
  );
});

test('an exit waits for an order whose outcome is unknown', () => {
  const pending = { clientOrderId: 'x', unknown: true, certainAt: now };
  const result = approve(sell, { ...ready, position: held, freeBase: d('0.01'), pending });
  assert.equal(result.kind === 'refused' && result.reason, 'order-unknown');
});
