import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDecimal, requireDecimal as d } from '#core/amount/decimal.ts';
import { APPROVAL_REASONS, describe } from '#core/decision/decision.ts';
import { HALT, HELD, live, NOW, READY, reasonOf } from '#test/harness/situation.ts';
import { judgeExit } from './exit.ts';
import { numbersOf, type Situation } from './situation.ts';

const SELL = { kind: 'sell', reason: 'exit-trail', lots: 'all' } as const;
const held: Situation = { ...READY, position: HELD, freeBase: d('0.01') };

const soldBy = (change: Partial<Situation>, lots: 'all' | number = 'all'): string => {
  const judged = judgeExit({ ...SELL, lots }, { ...held, ...change });
  return judged.kind === 'approved' ? formatDecimal(judged.order.quantity) : judged.reason;
};

test('an exit passes a kill switch, a limit, a disabled profile, an old price and a cool-down', () => {
  const limits = { ...READY.limits, refusal: () => ({ reason: 'halt-daily-loss', numbers: {} }) as const };
  const position = { ...HELD, cooldownUntil: new Date(NOW.getTime() + 1) };
  assert.equal(soldBy({ limits, position, ...live({ halts: [HALT], enabled: false, priceAgeMs: 1e6 }) }), '0.01');
});

test('only a freezing kill switch stops an exit', () => {
  assert.equal(soldBy(live({ halts: [{ ...HALT, freeze: true }] })), 'halt-frozen');
});

test('an exit never sells more than the wallet has, rounded down to the lot size', () => {
  assert.equal(soldBy({ freeBase: d('0.009999') }), '0.00999');
});

test('an exit sells what its own stop locks', () => {
  assert.equal(soldBy({ freeBase: d('0.001'), stop: { left: d('0.009'), selling: false } }), '0.01');
});

test('an exit leaves alone what other resting sales still sell', () => {
  assert.equal(soldBy({ quantityInOpenSells: d('0.004') }), '0.006');
});

test('a part is sold in whole lots', () => {
  assert.equal(soldBy({}, 300), '0.003');
});

test('an exit below the minimum order value is refused', () => {
  assert.equal(soldBy({}, 1), 'exit-unsellable');
});

test('an exit waits while a triggered stop sells', () => {
  assert.equal(soldBy({ stop: { left: d('0.01'), selling: true } }), 'order-stop-triggered');
});

test('an exit waits for an order whose outcome is unknown', () => {
  const pending = { clientOrderId: 'x', unknown: true, certainAtMs: NOW.getTime() };
  assert.equal(soldBy({ pending }), 'order-unknown');
});

test('a sale that an orphan order blocks names it', () => {
  const orphans = { orders: 1, left: 1, locked: d('0.01'), lockedBy: ['77'] };
  const judged = judgeExit(SELL, { ...READY, position: HELD, ...live({ orphans }) });
  assert.ok(judged.kind === 'refused');
  assert.match(
    describe(APPROVAL_REASONS[judged.reason], numbersOf(judged.facts)),
    /^Not selling: the wallet has 0 free of the 0.01 held. Order 77 belongs to no profile and locks 0.01: adopt/,
  );
});

test('a sale without anything free is refused', () => {
  assert.equal(reasonOf(judgeExit(SELL, { ...READY, position: HELD })), 'exit-nothing-free');
});
