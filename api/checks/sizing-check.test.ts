import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requireDecimal as d } from '#core/amount/decimal.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import { checkSizing, type SizingQuestion } from './sizing-check.ts';
import { rulesWith } from '#test/harness/rules.ts';

const rules = rulesWith();

const PRICE = { price: d('100'), at: '' };

function checkOf(name: string, config: unknown, known: Partial<SizingQuestion> = {}) {
  const bound = STRATEGIES.get(name)?.bind(config);
  return checkSizing({ symbol: 'AAAUSDT', bound, rules, price: PRICE, equity: () => undefined, ...known });
}
const messageOf = (name: string, config: unknown, known: Partial<SizingQuestion> = {}): string => {
  const check = checkOf(name, config, known);
  return check.kind === 'refused' ? check.message : check.kind === 'skipped' ? check.reason : check.kind;
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

const worth = (text: string) => ({ equity: () => d(text) });
const percent = (mode: string, share: string) => ({ entrySizing: { mode, percent: share } });

test('a budget that is a share of the equity is judged with the equity of now', () => {
  const config = percent('percent-of-equity', '0.01');
  assert.match(
    messageOf('momentum', config, worth('100')),
    /^gives AAAUSDT a buy budget of 1 USDT, from an equity of 100 USDT now, but/,
  );
  assert.equal(messageOf('momentum', config, worth('1000')), 'ok');
  const levels = { buy: { ...config, gridLevels: [{}, { triggerPercentage: '0.9' }] } };
  assert.match(messageOf('trailing-trade', levels, worth('1000')), /budget of 5 USDT, from an equity of 1000 USDT/);
  assert.equal(messageOf('trailing-trade', levels, worth('2000')), 'ok');
});

test('a budget by the loss at the stop is judged with the equity of now', () => {
  const config = percent('risk-at-stop', '0.001');
  assert.match(messageOf('momentum', config, worth('100')), /a buy budget of 1\.7\d* USDT, from an equity of 100 USDT/);
  assert.equal(messageOf('momentum', config, worth('1000')), 'ok');
});

test('what is missing for a share of the equity is named', () => {
  const config = percent('percent-of-equity', '0.00001');
  for (const [name, settings] of [
    ['momentum', config],
    ['trailing-trade', { buy: config }],
  ] as const) {
    assert.equal(messageOf(name, settings, { rules: undefined }), 'rules_not_loaded');
    assert.equal(messageOf(name, settings, { price: undefined }), 'price_not_cached');
    assert.equal(messageOf(name, settings), 'equity_not_known');
    assert.equal(messageOf(name, settings, worth('0')), 'equity_not_known');
  }
});

test('a basket is judged by the share of its budget that a coin has', () => {
  const basket = (change: object) => ({
    targets: [{ symbol: 'AAAUSDT', weight: '0.5' }],
    minTradeQuote: '1',
    ...change,
  });
  assert.match(
    messageOf('rebalance', basket({ basketBudgetQuote: '2' })),
    /^gives AAAUSDT a buy budget of 1 USDT, but/,
  );
  assert.equal(messageOf('rebalance', basket({ basketBudgetQuote: '2' }), { price: undefined }), 'price_not_cached');
  assert.equal(messageOf('rebalance', basket({ basketBudgetQuote: '20' })), 'ok');
  assert.equal(messageOf('rebalance', basket({ basketBudgetQuote: '' })), 'ok');
  assert.match(
    messageOf('rebalance', basket({ basketBudgetQuote: '20', minTradeQuote: '15' })),
    /below the 15 USDT it must at least spend/,
  );
  const strongest = { basketBudgetQuote: '12', weightMode: 'momentum', momentum: { topK: 3 }, minTradeQuote: '' };
  assert.match(messageOf('rebalance', basket(strongest)), /a buy budget of 4 USDT/);
});
