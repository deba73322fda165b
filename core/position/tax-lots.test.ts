import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { add, type Decimal, formatDecimal, requireDecimal, subtract, ZERO } from '#core/amount/decimal.ts';
import { foldLots, LOT_METHODS, type LotEvent } from './tax-lots.ts';

const day = (n: number): Date => new Date(Date.UTC(2026, 0, n));
const decimal = requireDecimal;
const bought = (n: number, quantity: string, cost: string): LotEvent => ({
  kind: 'bought',
  at: day(n),
  quantity: decimal(quantity),
  cost: decimal(cost),
});
const sold = (n: number, quantity: string, proceeds: string): LotEvent => ({
  kind: 'sold',
  at: day(n),
  tradeId: `t${n}`,
  quantity: decimal(quantity),
  proceeds: decimal(proceeds),
});
const rowsOf = (events: LotEvent[], method: (typeof LOT_METHODS)[number]) =>
  foldLots(events, method).disposals.map(({ acquiredAt, quantity, cost, gain }) => [
    acquiredAt?.getUTCDate() ?? null,
    formatDecimal(quantity),
    formatDecimal(cost),
    formatDecimal(gain),
  ]);

test('first in, first out: the oldest lots are sold first, a lot may be sold in parts', () => {
  const events = [bought(1, '1', '100'), bought(2, '1', '200'), sold(3, '1.5', '450')];
  assert.deepEqual(rowsOf(events, 'fifo'), [
    [1, '1', '100', '200'],
    [2, '0.5', '100', '50'],
  ]);
});

test('average: one pool, no day of purchase', () => {
  const events = [bought(1, '1', '100'), bought(2, '1', '200'), sold(3, '1.5', '450')];
  assert.deepEqual(rowsOf(events, 'average'), [[null, '1.5', '225', '225']]);
});

test('a restated holding replaces the lots; what was never bought costs nothing', () => {
  const restated: LotEvent = { kind: 'restated', at: day(2), quantity: decimal('2'), cost: decimal('50') };
  assert.deepEqual(rowsOf([bought(1, '1', '100'), restated, sold(3, '3', '90')], 'fifo'), [
    [2, '2', '50', '10'],
    [null, '1', '0', '30'],
  ]);
});

test('gains and what is left add up to exactly what was paid and received', () => {
  const amount = fc.bigInt({ min: 1n, max: 10n ** 24n }).map((value) => decimal(formatDecimal(value as Decimal)));
  const event = fc.record({ quantity: amount, money: amount, buys: fc.boolean() });
  fc.assert(
    fc.property(fc.array(event, { maxLength: 30 }), fc.constantFrom(...LOT_METHODS), (list, method) => {
      const events = list.map(
        ({ quantity, money, buys }, i): LotEvent =>
          buys
            ? { kind: 'bought', at: day(i + 1), quantity, cost: money }
            : { kind: 'sold', at: day(i + 1), tradeId: `t${i}`, quantity, proceeds: money },
      );
      const sum = (values: readonly Decimal[]): Decimal => values.reduce(add, ZERO);
      const { disposals, left } = foldLots(events, method);
      const paid = sum(list.filter(({ buys }) => buys).map(({ money }) => money));
      const received = sum(list.filter(({ buys }) => !buys).map(({ money }) => money));
      assert.equal(sum(disposals.map(({ gain }) => gain)), add(subtract(received, paid), left.cost));
      assert.equal(sum(disposals.map(({ proceeds }) => proceeds)), received);
    }),
  );
});
