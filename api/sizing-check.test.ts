import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requireDecimal as d, ZERO } from '#core/decimal.ts';
import type { SymbolRules } from '#core/symbol.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import { checkSizing } from './sizing-check.ts';

const rules: SymbolRules = {
  symbol: 'AAAUSDT',
  status: 'TRADING',
  baseAsset: 'AAA',
  quoteAsset: 'USDT',
  orderTypes: ['MARKET'],
  price: { tick: d('0.01'), min: ZERO, max: ZERO },
  lot: { step: d('0.001'), min: d('0.001'), max: ZERO },
  marketLot: { step: ZERO, min: ZERO, max: ZERO },
  notional: { min: d('5'), max: ZERO, minAppliesToMarket: true },
  band: null,
};

function checkOf(name: string, config: unknown) {
  const shared = STRATEGIES.get(name)?.bind(config).shared;
  return checkSizing({ symbol: 'AAAUSDT', shared, rules, price: { price: d('100'), at: '' } });
}
const messageOf = (name: string, config: unknown): string => {
  const check = checkOf(name, config);
  return check.kind === 'refused' ? check.message : check.kind;
};

test('a budget that buys but could not be sold at its stop is refused', () => {
  const amount = (text: string) => ({ buy: { entrySizing: { amount: text } } });
  assert.match(
    messageOf('trailing-trade', amount('5.30')),
    /^gives AAAUSDT a buy budget of 5.3 USDT, .* 5.61120000 USDT/,
  );
  assert.equal(messageOf('trailing-trade', amount('5.6112')), 'ok');
});

test('every buy level is judged at its own price', () => {
  const levels = (share: string) => ({
    buy: { gridLevels: [{ maxPurchaseAmount: '20' }, { triggerPercentage: '0.9', maxPurchaseAmount: share }] },
  });
  assert.match(messageOf('trailing-trade', levels('5.5')), /^gives level 1 of AAAUSDT .* at the price 90 /);
  assert.equal(messageOf('trailing-trade', levels('6')), 'ok');
});

test('levels without a spend of their own share the amount', () => {
  const config = { buy: { entrySizing: { amount: '15' }, gridLevels: [{}, {}, {}] } };
  assert.match(messageOf('trailing-trade', config), /budget of 5 USDT/);
});

test('momentum is judged with its trailing stop, hold never buys', () => {
  assert.equal(messageOf('momentum', {}), 'ok');
  assert.match(messageOf('momentum', { entrySizing: { amount: '5.5' } }), /5.5 USDT/);
  assert.equal(messageOf('hold', {}), 'ok');
});
