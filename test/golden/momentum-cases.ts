import fc from 'fast-check';
import { requireDecimal, ZERO } from '#core/amount/decimal.ts';

const d = requireDecimal;

/** Settings of momentum that have a vector run, without their interval. */
export const momentumSettings = fc
  .record({
    slow: fc.integer({ min: 3, max: 40 }),
    share: fc.double({ min: 0, max: 0.99, noNaN: true }),
    entryMarginPercentage: fc.constantFrom('1', '1.0005'),
    trailingStopPercentage: fc.constantFrom('0.999', '0.99', '0.97', '0.9'),
    exitOnCross: fc.boolean(),
    lossCooldownMinutes: fc.constantFrom(0, 7, 300),
    protectiveStop: fc.record({ enabled: fc.boolean() }),
    entryExtension: fc.constantFrom(
      { period: 20, maxPercentage: '1.001' },
      { period: 50, maxPercentage: '1.4' },
      { period: 9, maxPercentage: '' },
    ),
    amount: fc.constantFrom('20', '100', '990'),
  })
  .map(({ slow, share, amount, ...plain }) => ({
    ...{ ...plain, entrySizing: { mode: 'fixed', amount } },
    ema: { slow, fast: 1 + Math.floor(share * (slow - 1)) },
  }));

/** A market for `walk` and `rulesOf`, and the terms of a run in it. */
export const marketsWithTerms = {
  seed: fc.nat(),
  gaps: fc.boolean(),
  grid: fc.constantFrom(
    { tick: '0.01', step: '0.001', price: 100 },
    { tick: '0.00001', step: '1', price: 0.02 },
    { tick: '0.5', step: '0.00001', price: 60_000 },
    { tick: '1', step: '0.00000001', price: 95_000_000 },
  ),
  start: fc.constantFrom(0, 300),
  fee: fc.constantFrom(d('0.001'), d('0.00075'), ZERO),
  slippage: fc.constantFrom(ZERO, d('0.0005')),
  balance: fc.constantFrom('1000', '250'),
};
