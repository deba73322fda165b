import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Decimal, formatDecimal, isOnStep, requireDecimal as d, ZERO } from '#core/amount/decimal.ts';
import { FLAT } from '#core/position/position.ts';
import { HALT, HELD, live, NOW, numberOf, READY, reasonOf } from '#test/harness/situation.ts';
import { dearestPrice, judgeEntry } from './entry.ts';
import { numbersOf, type Situation } from './situation.ts';

const BUY = { kind: 'buy', reason: 'entry-first', level: 0 } as const;
const { terms } = READY;
const withTerms = (change: Partial<Situation['terms']>): Situation => ({ ...READY, terms: { ...terms, ...change } });

test('an entry is sized on the grid and keeps its exit sellable', () => {
  const judged = judgeEntry(BUY, READY);
  assert.equal(judged.kind === 'approved' && formatDecimal(judged.order.quantity), '0.00499');
});

/** Quantity and plan of a buy at level 1, whose budget is 90, after these fills. */
function secondLevel(plannedQuote: string, filledQuote: string, level = 1): unknown[] {
  const levels = [d('150'), d('90')].map((spend) => ({ spend, least: null, trigger: d('0.96') }));
  const fills = [{ level, plannedQuote: d(plannedQuote), filledQuote: d(filledQuote) }];
  const judged = judgeEntry({ ...BUY, level: 1 }, { ...withTerms({ levels }), position: HELD, levels: fills });
  assert.ok(judged.kind === 'approved');
  return [formatDecimal(judged.order.quantity), formatDecimal(judged.order.entry.plannedQuote)];
}

test('a level spends its own budget, whatever another level filled', () => {
  assert.deepEqual(secondLevel('150', '149', 0), ['0.00299', '90']);
});

test('a level spends its budget less what it has filled, by the plan of its first order', () => {
  assert.deepEqual(secondLevel('120', '30.06'), ['0.00299', '120']);
});

const share = (mode: 'percent-of-equity' | 'risk-at-stop'): string =>
  numberOf(judgeEntry(BUY, withTerms({ entryBudget: ZERO, equityShare: { mode, percent: d('0.05') } })), 'budget');

test('a share of the equity is spent', () => {
  assert.equal(share('percent-of-equity'), '50');
});

test('a share of the equity is lost at the stop', () => {
  assert.equal(share('risk-at-stop'), '500');
});

const capped = (symbolExposure: string, positionLoss: string | null = null) => {
  const caps = { symbolExposure: d(symbolExposure), positionLoss: positionLoss === null ? null : d(positionLoss) };
  return judgeEntry(BUY, { ...withTerms({ caps }), position: HELD });
};

test('a cap makes a buy smaller', () => {
  assert.equal(numberOf(capped('400'), 'budget'), '100');
});

test('a cap that leaves too little names itself', () => {
  const refused = capped('303');
  assert.equal(reasonOf(refused), 'cap-symbol-exposure');
  assert.deepEqual(numbersOf(refused.facts), { cap: '303', used: '300', room: '3' });
});

test('a cap on the loss of a position counts the loss at the stop', () => {
  assert.equal(reasonOf(capped('1000', '3')), 'cap-position-loss');
});

const within = (room: string) => {
  const wider = { reason: 'cap-account-exposure', cap: d('900'), used: d('1'), room: d(room) } as const;
  return judgeEntry(BUY, { ...READY, limits: { ...READY.limits, rooms: () => [wider] } });
};

test('the room of the account makes a buy smaller', () => {
  assert.equal(numberOf(within('80'), 'budget'), '80');
});

test('an account without room refuses a buy', () => {
  assert.equal(reasonOf(within('5')), 'cap-account-exposure');
});

const spending = (spend: string, least: string | null): Situation =>
  withTerms({ levels: [{ spend: d(spend), least: least === null ? null : d(least), trigger: d('1') }] });

test('a level below its smallest amount is refused with that amount', () => {
  const refused = judgeEntry(BUY, spending('5.3', '5.31'));
  assert.equal(reasonOf(refused), 'size-below-minimum');
  assert.equal(numberOf(refused, 'minOrderQuote'), '5.31');
});

test('an add counts the held quantity towards its exit', () => {
  const tight = spending('5.3', null);
  assert.equal(reasonOf(judgeEntry(BUY, tight)), 'size-exit-infeasible');
  assert.equal(reasonOf(judgeEntry(BUY, { ...tight, position: HELD })), 'approved');
});

test('a buy may spend what the buy locks that it replaces', () => {
  const waiting = { locked: d('60') };
  const judged = judgeEntry(BUY, { ...READY, freeQuote: () => d('40'), waiting });
  assert.equal(numberOf(judged, 'budget'), '100');
});

const PENDING = { clientOrderId: 'x', certainAtMs: NOW.getTime() };
const STRAY = { orders: 1, left: 0, locked: d('0.01'), lockedBy: ['77'] };
const refusals: readonly [string, Partial<Situation>, string][] = [
  ['an engaged kill switch', live({ halts: [HALT] }), 'halt-kill-switch'],
  ['a reset of the exchange', live({ halts: [{ ...HALT, reset: true }] }), 'halt-exchange-reset'],
  ['a disabled profile', live({ enabled: false }), 'halt-profile-disabled'],
  ['a key in error', live({ keyStatus: 'error' }), 'data-key-unhealthy'],
  ['a key that was never checked', live({ keyStatus: null }), 'data-key-unhealthy'],
  ['a halted coin', { rules: { ...READY.rules, status: 'HALT' } }, 'data-symbol-not-trading'],
  ['a coin with unreadable rules', { rules: { ...READY.rules, status: 'unreadable' } }, 'data-symbol-not-trading'],
  ['an old price', live({ priceAgeMs: 10_001 }), 'stale-price'],
  ['an unknown order', { pending: { ...PENDING, unknown: true } }, 'order-unknown'],
  ['an order in flight', { pending: { ...PENDING, unknown: false } }, 'order-in-flight'],
  ['an open order that could not be read', live({ unreadOrder: 'It has an unknown status.' }), 'data-order-unreadable'],
  ['an orphan order of the coin', live({ orphans: STRAY }), 'base-locked-by-orphan'],
  ['a cool-down', { position: { ...FLAT, cooldownUntil: new Date(NOW.getTime() + 1) } }, 'cooldown-loss'],
  ['candles that are not read', live({ candles: { interval: '1h', problem: null } }), 'data-candles-missing'],
  [
    'a limit of the account',
    { limits: { ...READY.limits, refusal: () => ({ reason: 'halt-drawdown', numbers: {} }) } },
    'halt-drawdown',
  ],
  [
    'an order that the exchange keeps refusing',
    live({ refusals: () => ({ times: 3, message: 'no', untilMs: 0 }) }),
    'order-refused-repeatedly',
  ],
  ['no money', { freeQuote: () => d('4') }, 'size-no-funds'],
  ['a budget below the minimum order', { terms: { ...terms, entryBudget: d('4') } }, 'size-below-minimum'],
  ['a size whose stop could not be sold', { terms: { ...terms, entryBudget: d('5.3') } }, 'size-exit-infeasible'],
];
for (const [name, change, reason] of refusals) {
  test(`an entry is refused for ${name}`, () => {
    assert.equal(reasonOf(judgeEntry(BUY, { ...READY, ...change })), reason);
  });
}

test('an orphan order that the operator left refuses no buy', () => {
  assert.equal(reasonOf(judgeEntry(BUY, { ...READY, ...live({ orphans: { ...STRAY, left: 1 } }) })), 'approved');
});

test('a backtest buys a coin whatever its status is today', () => {
  const rules = { ...READY.rules, status: 'absent' } as const;
  assert.equal(reasonOf(judgeEntry(BUY, { ...READY, rules, live: null })), 'approved');
});

test('a buy is reserved at its limit, a market buy at its price with a buffer', () => {
  assert.equal(formatDecimal(dearestPrice({ type: 'limit', price: d('9') }, d('10'))), '9');
  assert.equal(formatDecimal(dearestPrice({ type: 'market' }, d('10'))), '10.02');
});

const amount = (most: number) =>
  fc.integer({ min: 0, max: most * 100 }).map((cents): Decimal => d((cents / 100).toFixed(2)));
const situations = fc.record({
  price: amount(40_000).filter((price) => price > 0n),
  free: amount(1_000),
  budget: amount(300),
  held: fc.constantFrom(FLAT, HELD),
  chases: fc.boolean(),
});

test('a backtest gets the answer of a live account without problems, on the grid', () => {
  fc.assert(
    fc.property(situations, ({ price, free, budget, held, chases }) => {
      const situation = { ...withTerms({ entryBudget: budget }), price, freeQuote: () => free, position: held };
      const decision = chases ? { ...BUY, form: { type: 'chase', stop: 2_990_000, limit: 3_000_000 } as const } : BUY;
      const [judged, backtest] = [situation, { ...situation, live: null }].map((one) => judgeEntry(decision, one));
      assert.ok(judged !== undefined && backtest !== undefined && judged.kind === backtest.kind);
      assert.deepEqual(backtest.facts, judged.facts);
      if (judged.kind === 'refused') return;
      assert.ok(backtest.kind === 'approved');
      assert.deepEqual(backtest.order, judged.order);
      assert.ok(isOnStep(judged.order.quantity, READY.rules.lot.step));
    }),
    { seed: 7 },
  );
});
