import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  add,
  type Decimal,
  formatDecimal,
  multiply,
  requireDecimal,
  subtract,
  toNumber,
  ZERO,
} from '#core/amount/decimal.ts';
import type { ExchangeFill } from '#core/order/fill.ts';
import type { Side } from '#core/order/order.ts';
import { FLAT, foldAdjustment, foldFill, isSellable, type Position, unrealisedOf } from './position.ts';
import { rulesWith } from '#test/harness/rules.ts';

const RULES = rulesWith();
const COOLDOWN = { rules: RULES, cooldownMs: 90 * 60_000 };

/** A fill with the fee of the golden market: 0.1 %, in base for a buy, in quote for a sell. */
function fillOf(side: Side, quantity: string, price: string, minutes = 0): ExchangeFill {
  const [base, at] = [requireDecimal(quantity), requireDecimal(price)];
  const quoteQuantity = multiply(base, at);
  const feeAmount = multiply(side === 'buy' ? base : quoteQuantity, requireDecimal('0.001'));
  const feeAsset = side === 'buy' ? 'AAA' : 'USDT';
  const ids = { symbol: 'AAAUSDT', tradeId: '1', exchangeOrderId: '1', maker: false };
  return {
    ...ids,
    side,
    price: at,
    quantity: base,
    quoteQuantity,
    feeAmount,
    feeAsset,
    at: new Date(minutes * 60_000),
  };
}

const fold = (fills: readonly ExchangeFill[], from: Position = FLAT): Position =>
  fills.reduce((position, fill) => foldFill(position, fill, COOLDOWN).position, from);

const rounded = (value: Decimal): string => toNumber(value).toFixed(8);

const text = (position: Position) => ({
  quantity: formatDecimal(position.quantity),
  average: formatDecimal(position.averagePrice),
  net: position.lastCycleNet === null ? null : formatDecimal(position.lastCycleNet),
  cycle: position.cycle,
});

test('a round with a gain: average without fees, net with them, remainder carried', () => {
  const bought = fold([fillOf('buy', '1.004', '99.6')]);
  assert.deepEqual(text(bought), { quantity: '1.002996', average: '99.6', net: null, cycle: 1 });
  const sold = foldFill(bought, fillOf('sell', '1.002', '105.8'), COOLDOWN);
  assert.equal(formatDecimal(sold.realised), '6.00639');
  assert.equal(sold.closedCycle, true);
  assert.deepEqual(text(sold.position), { quantity: '0.000996', average: '99.6', net: '6.00639', cycle: 1 });
  assert.equal(sold.position.cooldownUntil, null);
});

test('a round with a loss pauses entries, and the next round carries the remainder at its cost', () => {
  const buys = [fillOf('buy', '0.249', '200'), fillOf('buy', '0.259', '191.8')];
  const bought = fold(buys);
  assert.equal(formatDecimal(bought.quantity), '0.507492');
  assert.equal(rounded(bought.averagePrice), '195.81929134');
  const sold = foldFill(bought, fillOf('sell', '0.507', '182.11', 300), COOLDOWN);
  assert.equal(rounded(sold.realised), '-7.14241668');
  assert.equal(rounded(sold.position.lastCycleNet ?? ZERO), '-7.14241668');
  assert.deepEqual(sold.position.cooldownUntil, new Date(390 * 60_000));
  const again = fold([fillOf('buy', '0.280', '178', 420)], sold.position);
  assert.equal(formatDecimal(again.quantity), '0.280212');
  assert.equal(toNumber(again.averagePrice).toFixed(6), '178.031287');
  assert.deepEqual([again.cycle, again.cooldownUntil], [2, null]);
});

test('an exit in parts gives the same net as in one piece', () => {
  const bought = fold([fillOf('buy', '1.004', '99.6')]);
  const whole = fold([fillOf('sell', '1.002', '90', 5)], bought);
  const parts = [fillOf('sell', '0.5', '90', 5), fillOf('sell', '0.48', '90', 5), fillOf('sell', '0.022', '90', 5)];
  const last = parts.reduce((result, fill) => foldFill(result.position, fill, COOLDOWN), {
    position: bought,
    realised: ZERO,
    closedCycle: false,
  });
  assert.deepEqual(text(last.position), text(whole));
  assert.deepEqual(last.position.cooldownUntil, whole.cooldownUntil);
  assert.deepEqual([last.closedCycle, last.position.firstBuyAt, last.position.cycleNet], [true, null, ZERO]);
});

test('selling what no cycle ever bought closes none', () => {
  const held: Position = {
    ...FLAT,
    quantity: requireDecimal('1'),
    averagePrice: requireDecimal('10'),
    cost: requireDecimal('10'),
  };
  const result = foldFill(held, fillOf('sell', '1', '12'), COOLDOWN);
  assert.deepEqual([result.closedCycle, formatDecimal(result.realised)], [false, '1.988']);
});

test('what is too small to sell keeps no cycle open', () => {
  const price = requireDecimal('100');
  const sellable = ['0.0009', '0.049', '0.0499', '0.05', '1'].map((quantity) =>
    isSellable(requireDecimal(quantity), price, RULES),
  );
  assert.deepEqual(sellable, [false, false, false, true, true]);
});

test('fees in quote or in a third asset lower the net, not the quantity', () => {
  const inQuote = { ...fillOf('buy', '1', '100'), feeAsset: 'USDT', feeAmount: requireDecimal('0.1') };
  const inThird = { ...fillOf('buy', '1', '100'), feeAsset: 'BNB', feeAmount: requireDecimal('0.0002') };
  const quote = foldFill(FLAT, inQuote, COOLDOWN).position;
  const third = foldFill(FLAT, inThird, { ...COOLDOWN, feeQuote: requireDecimal('0.1') }).position;
  assert.deepEqual([formatDecimal(quote.quantity), formatDecimal(quote.cost)], ['1', '100.1']);
  assert.deepEqual(third, quote);
});

const trades = fc.array(
  fc.record({
    side: fc.constantFrom('buy', 'sell'),
    lots: fc.integer({ min: 1, max: 5000 }),
    ticks: fc.integer({ min: 500, max: 50_000 }),
  }),
  { maxLength: 40 },
);

const FEES = ['AAA', 'USDT', 'BNB'] as const;

test('over any fills, whatever asset pays the fee, profit is what came in less what was paid, to the last digit', () => {
  fc.assert(
    fc.property(trades, fc.constantFrom(...FEES), (list, feeAsset) => {
      let position = FLAT;
      let [base, quote, fees, realised, closed] = [ZERO, ZERO, ZERO, ZERO, ZERO];
      for (const [i, { side, lots, ticks }] of list.entries()) {
        const wanted = fillOf(side, (lots / 1000).toFixed(3), (ticks / 100).toFixed(2), i);
        const paid = multiply(wanted.quoteQuantity, requireDecimal('0.001'));
        const amount = feeAsset === 'AAA' ? multiply(wanted.quantity, requireDecimal('0.001')) : paid;
        const fill = { ...wanted, feeAsset, feeAmount: amount };
        const leaves = add(fill.quantity, feeAsset === 'AAA' ? amount : ZERO);
        if (side === 'sell' && leaves > position.quantity) continue;
        const feeQuote = feeAsset === 'BNB' ? paid : null;
        const before = position;
        const result = foldFill(position, fill, { ...COOLDOWN, feeQuote });
        position = result.position;
        realised = add(realised, result.realised);
        fees = add(fees, feeAsset === 'AAA' ? ZERO : paid);
        const [sign, moved] = side === 'buy' ? [subtract, subtract(fill.quantity, leaves)] : [add, ZERO];
        base = side === 'buy' ? add(base, add(fill.quantity, moved)) : subtract(base, leaves);
        quote = sign(quote, fill.quoteQuantity);
        assert.equal(position.quantity, base);
        assert.ok(position.quantity >= 0n && position.averagePrice >= 0n && position.cost >= 0n);
        if (!result.closedCycle) continue;
        const amended = before.firstBuyAt === null ? (before.lastCycleNet ?? ZERO) : ZERO;
        closed = add(closed, subtract(position.lastCycleNet ?? ZERO, amended));
        assert.equal(position.cost, multiply(position.quantity, position.averagePrice));
      }
      const price = requireDecimal('123.45');
      const equity = add(subtract(quote, fees), multiply(position.quantity, price));
      assert.equal(add(realised, unrealisedOf(position, price)), equity);
      assert.equal(add(closed, position.cycleNet), realised, 'the closed positions and the open one');
    }),
  );
});

const adjusted = (position: Position, quantity: string, price: string, held = true): Position =>
  foldAdjustment(position, {
    quantity: requireDecimal(quantity),
    averagePrice: requireDecimal(price),
    held,
    at: new Date(90_000),
  });

test('an adjustment of a flat position begins a cycle as if it had been bought', () => {
  const held = adjusted(FLAT, '2', '100');
  assert.deepEqual([held.cycle, held.firstBuyAt, formatDecimal(held.cost)], [1, new Date(90_000), '200']);
  const sold = foldFill(held, fillOf('sell', '2', '110', 2), COOLDOWN).position;
  assert.equal(formatDecimal(sold.lastCycleNet ?? ZERO), '19.78');
});

test('an adjustment of a running position keeps its cycle and measures the gain from the new cost', () => {
  const bought = foldFill(FLAT, fillOf('buy', '2', '100'), COOLDOWN).position;
  const held = adjusted(bought, '2', '90');
  assert.deepEqual([held.cycle, held.firstBuyAt], [bought.cycle, bought.firstBuyAt]);
  assert.deepEqual([formatDecimal(held.cost), held.cycleNet], ['180', bought.cycleNet]);
});

test('a price without a position ends the cycle without a gain, and the next buy is priced by itself', () => {
  const bought = foldFill(FLAT, fillOf('buy', '2', '100'), COOLDOWN).position;
  const marker = adjusted(bought, '0', '90', false);
  assert.deepEqual([marker.firstBuyAt, marker.lastCycleNet, formatDecimal(marker.averagePrice)], [null, null, '90']);
  const again = foldFill(marker, fillOf('buy', '1', '50', 3), COOLDOWN).position;
  assert.deepEqual([formatDecimal(again.averagePrice), again.cycle], ['50', bought.cycle + 1]);
});
