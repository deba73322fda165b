import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDecimal, requireDecimal as d } from '#core/amount/decimal.ts';
import { FLAT } from '#core/position/position.ts';
import { HELD, live, NOW, READY } from '#test/harness/situation.ts';
import { judgeManual, type ManualRequest } from './manual.ts';
import type { Situation } from './situation.ts';

const byQuote = (amount: string) => ({ by: 'quote', amount: d(amount) }) as const;
const byQuantity = (amount: string) => ({ by: 'quantity', amount: d(amount) }) as const;
const buy = (size: ReturnType<typeof byQuote | typeof byQuantity>): ManualRequest => ({
  side: 'buy',
  limit: null,
  size,
});
const sell = (
  size: ReturnType<typeof byQuote | typeof byQuantity> | 'all',
  limit: string | null = null,
): ManualRequest => ({
  side: 'sell',
  limit: limit === null ? null : d(limit),
  size,
});
const held: Situation = { ...READY, position: HELD, freeBase: d('0.01') };

const judged = (request: ManualRequest, situation: Situation = READY): string => {
  const judgement = judgeManual(request, situation);
  return judgement.kind === 'approved' ? formatDecimal(judgement.order.quantity) : judgement.reason;
};

test('a manual buy of a quantity buys exactly that', () => {
  assert.equal(judged(buy(byQuantity('0.002'))), '0.002');
});

test('a manual buy with too little money is refused, not made smaller', () => {
  assert.equal(judged(buy(byQuote('1000.01'))), 'size-no-funds');
});

test('a manual buy beyond a cap is refused, not made smaller', () => {
  const caps = { symbolExposure: d('100'), positionLoss: null };
  assert.equal(judged(buy(byQuote('100.01')), { ...READY, terms: { ...READY.terms, caps } }), 'cap-symbol-exposure');
});

test('a manual buy skips the cool-down and the delay after a refusal', () => {
  const position = { ...FLAT, cooldownUntil: new Date(NOW.getTime() + 1) };
  const refusals = () => ({ times: 3, message: 'no', untilMs: 0 });
  assert.equal(judged(buy(byQuantity('0.002')), { ...READY, position, ...live({ refusals }) }), '0.002');
});

test('a manual buy obeys a disabled profile', () => {
  assert.equal(judged(buy(byQuote('100')), { ...READY, ...live({ enabled: false }) }), 'halt-profile-disabled');
});

test('a manual sale of everything sells what is held', () => {
  assert.equal(judged(sell('all'), held), '0.01');
});

test('a manual sale for an amount divides it by its limit', () => {
  assert.equal(judged(sell(byQuote('100'), '40000'), held), '0.0025');
});

test('a manual sale of more than is held is refused', () => {
  assert.equal(judged(sell(byQuantity('0.011')), held), 'size-more-than-held');
});

test('a manual sale whose rest could not be sold is refused', () => {
  assert.equal(judged(sell(byQuantity('0.0099')), held), 'size-leaves-dust');
});
