import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type PortfolioInput, runPortfolioBacktest } from '#backtest/portfolio-backtest.ts';
import { runPortfolio } from '#backtest/portfolio-run.ts';
import { aggregateSeries } from '#backtest/columns.ts';
import type { KernelInput } from '#backtest/run-state.ts';
import type { BacktestInput } from '#backtest/run.ts';
import { candlesOf } from '#backtest/test-script.ts';
import { type BasketCoin, type BasketView, createBasket } from '#core/sizing/basket.ts';
import { formatDecimal, fromNumber, ONE, requireDecimal, ZERO } from '#core/amount/decimal.ts';
import { sizeByTerms } from '#core/sizing/entry-size.ts';
import { newId, type ProfileId } from '#core/ids.ts';
import { FLAT } from '#core/position/position.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import { GOLDEN_RULES } from './market-run.ts';

const boundTo = (config: object) => {
  const strategy = STRATEGIES.get('rebalance');
  assert.ok(strategy);
  return strategy.bind(strategy.config.parse({ enabled: true, basketBudgetQuote: '1000', ...config }));
};
const plannerOf = (config: object) => {
  const { planner } = boundTo(config);
  assert.ok(planner);
  return planner;
};

const coin = (symbol: string, price: number, quantity: number, score: number | null = 0): BasketCoin => ({
  ...{ symbol, price, quantity, score, step: 0.001, minSell: 5.25, minBuy: 6, closedMs: 1, lacks: null, settled: true },
});
const viewOf = (coins: readonly BasketCoin[], freeQuote: number): BasketView => ({ coins, freeQuote, takerFee: 0.001 });

/** The quantity that a buy of a plan becomes, by the sizing of every entry. */
function lotsOf(quote: number, price: number): string {
  const size = sizeByTerms({
    ...{ level: 0, quote: fromNumber(quote), rules: GOLDEN_RULES, price: requireDecimal(String(price)) },
    terms: { entryBudget: ZERO, stopMultiple: null, stopLimitOffset: ONE },
    ...{
      position: FLAT,
      levels: [],
      freeQuote: requireDecimal('1000'),
      equity: ZERO,
      takerFee: 0.001,
      baseFeeRate: 0.001,
      rooms: [],
    },
  });
  return size.kind === 'sized' ? formatDecimal(size.quantity) : size.reason;
}

/** The sales of a plan, then its buys when the sales have brought what was estimated. */
function tradesOf(config: object, view: BasketView): string[] {
  const planner = plannerOf(config);
  const { legs, cash, numbers } = planner.plan(view);
  const priceOf = (symbol: string): number => view.coins.find((each) => each.symbol === symbol)?.price ?? 0;
  const buys = legs.filter(({ side }) => side === 'buy');
  const fitted = planner.fit(buys, cash + Number(numbers['proceeds']), view.coins);
  return [
    ...legs.flatMap(({ side, symbol, lots, reason }) =>
      side === 'sell' ? [`${reason} ${symbol} ${lots / 1000}`] : [],
    ),
    ...fitted.map(({ symbol, quote }) => `buy ${symbol} ${lotsOf(quote, priceOf(symbol))}`),
  ];
}

const SHARES = [
  { symbol: 'AAAUSDT', weight: '0.5' },
  { symbol: 'BBBUSDT', weight: '0.3' },
  { symbol: 'CCCUSDT', weight: '0.2' },
];
const THREE = [coin('AAAUSDT', 100, 6), coin('BBBUSDT', 50, 4), coin('CCCUSDT', 10, 10)];

test('R1: sells what is above its share, buys the others with that and the fresh money', () => {
  // Worth 900, cash 100: off by -100, +100, +100. Money 199.80 for 200.40: each buy is 99.70.
  const trades = tradesOf({ targets: SHARES }, viewOf(THREE, 300));
  assert.deepEqual(trades, ['plan-rebalance AAAUSDT 1', 'buy BBBUSDT 1.994', 'buy CCCUSDT 9.97']);
});

test('R2: without fresh money the sale pays for the buys', () => {
  const trades = tradesOf({ targets: SHARES, basketBudgetQuote: '900' }, viewOf(THREE, 300));
  assert.deepEqual(trades, ['plan-rebalance AAAUSDT 1.5', 'buy BBBUSDT 1.394', 'buy CCCUSDT 7.968']);
});

test('R3: the two strongest are held; of equals the first name; what has no share is sold whole', () => {
  const coins = [
    coin('AAAUSDT', 110, 0, 0.1),
    coin('BBBUSDT', 52, 0, 0.04),
    coin('CCCUSDT', 10.4, 30, 0.04),
    coin('DDDUSDT', 95, 0, -0.05),
  ];
  const trades = tradesOf({ weightMode: 'momentum', momentum: { topK: 2 } }, viewOf(coins, 188));
  assert.deepEqual(trades, ['plan-rotate-exit CCCUSDT 30', 'buy AAAUSDT 2.265', 'buy BBBUSDT 4.792']);
});

test('why nothing is traded', () => {
  const reasonOf = (config: object, view: BasketView): string => plannerOf(config).plan(view).reason;
  assert.equal(
    reasonOf({ targets: SHARES, basketBudgetQuote: '' }, viewOf([coin('AAAUSDT', 100, 0)], 500)),
    'plan-empty-basket',
  );
  // 500.00, 300.00 and 200.00 are wanted of 1000; 549.99 is less than 5 % off.
  const near = [coin('AAAUSDT', 100, 5.4999), coin('BBBUSDT', 50, 5.0002), coin('CCCUSDT', 10, 20)];
  assert.equal(reasonOf({ targets: SHARES }, viewOf(near, 0)), 'plan-within-drift');
  assert.equal(reasonOf({ targets: SHARES, enabled: false }, viewOf(THREE, 300)), 'plan-dry');
});

test('the smallest buy is left out while it is too small, and its money goes to the others', () => {
  const { fit } = plannerOf({});
  const leg = (symbol: string, quote: number) =>
    ({ symbol, side: 'buy', reason: 'plan-rebalance', lots: 0, quote, numbers: {} }) as const;
  const legs = [leg('AAAUSDT', 100), leg('BBBUSDT', 12), leg('CCCUSDT', 12)];
  // Half the money: 6.0 each is enough with 62.06 (factor 0.5004), not with 60.
  const kept = (money: number): string[] => fit(legs, money, THREE).map(({ symbol }) => symbol);
  assert.deepEqual(kept(62.06), ['AAAUSDT', 'BBBUSDT', 'CCCUSDT']);
  assert.deepEqual(kept(60), ['AAAUSDT', 'BBBUSDT']);
  assert.deepEqual(kept(5), []);
});

test('one plan a candle, sales before buys, each leg once; a coin without data holds all plans back', () => {
  const basket = createBasket(plannerOf({ targets: SHARES }));
  const at = (symbol: string, change: Partial<BasketCoin> = {}, freeQuote = 300, nowMs = 10) => {
    const coins = THREE.map((each) => (each.symbol === symbol ? { ...each, ...change } : each));
    const { reason, leg } = basket.turn(symbol, nowMs, viewOf(coins, freeQuote));
    return leg === null ? reason : `${leg.side} ${leg.symbol}`;
  };
  assert.equal(at('AAAUSDT', { lacks: 'a fresh price' }), 'plan-data-missing');
  assert.equal(at('BBBUSDT'), 'plan-unsettled', 'the sale of another coin comes first');
  assert.equal(at('AAAUSDT'), 'sell AAAUSDT');
  assert.equal(at('AAAUSDT', { settled: false }), 'plan-unsettled');
  assert.equal(at('BBBUSDT'), 'plan-unsettled', 'the sale has not filled');
  assert.equal(at('AAAUSDT', {}, 399.9), 'plan-unsettled', 'over; two buys are left');
  assert.equal(at('BBBUSDT', {}, 399.9), 'buy BBBUSDT');
  assert.equal(at('CCCUSDT', {}, 300), 'buy CCCUSDT');
  assert.equal(at('BBBUSDT'), 'plan-unsettled');
  assert.equal(at('CCCUSDT'), 'plan-not-due');
});

test('a sale that does not come off holds the buys back for a minute', () => {
  const basket = createBasket(plannerOf({ targets: SHARES }));
  const turn = (nowMs: number) => basket.turn('BBBUSDT', nowMs, viewOf(THREE, 300));
  assert.equal(turn(10).reason, 'plan-unsettled');
  assert.equal(turn(60_009).reason, 'plan-unsettled');
  // The fresh money alone: 100 for 200.40, so 49.90 and what is held back for a price that moves.
  assert.equal(turn(60_010).leg?.quote.toFixed(6), '50.000000');
});

test('a leg that nobody took up is dropped when the next candle has closed', () => {
  const basket = createBasket(plannerOf({ targets: SHARES }));
  const closed = (closedMs: number) =>
    viewOf(
      THREE.map((each) => ({ ...each, closedMs })),
      300,
    );
  assert.equal(basket.turn('BBBUSDT', 10, closed(1)).reason, 'plan-unsettled');
  assert.equal(basket.turn('AAAUSDT', 20, closed(2)).leg?.side, 'sell', 'of a new plan');
  assert.equal(basket.planMs, 2);
});

/** A quiet minute at one price. */
const still = (price: number): string => `${price}/${price}/${price}/${price}`;
function inputOf(symbol: string, prices: readonly number[]): KernelInput {
  const detail = candlesOf('1m', prices.map(still));
  const terms = { balance: requireDecimal('1000'), feeRate: requireDecimal('0.001'), slippage: ZERO };
  const bound = boundTo({ targets: SHARES, candleInterval: '5m' });
  const rules = { ...GOLDEN_RULES, symbol, baseAsset: symbol.slice(0, 3) };
  return { bound, rules, terms, signal: aggregateSeries(detail, '5m'), detail, start: 0, end: prices.length };
}

test('a backtest of a basket: one balance, a plan when a candle closes, buys after the sales have filled', () => {
  // Minutes 0 to 4 make the first candle; AAA rises from 100 to 150 in minute 6.
  const minutes = Array.from({ length: 15 }, (_, i) => i);
  const coins = [
    inputOf(
      'AAAUSDT',
      minutes.map((i) => (i < 6 ? 100 : 150)),
    ),
    inputOf(
      'BBBUSDT',
      minutes.map(() => 50),
    ),
    inputOf(
      'CCCUSDT',
      minutes.map(() => 10),
    ),
  ];
  const run = runPortfolio({ profiles: [{ id: newId<ProfileId>(), coins }] });
  const fills = run.fills.map(
    ({ symbol, fill }) => `${fill.at.getTime() / 60_000} ${fill.side} ${symbol} ${formatDecimal(fill.quantity)}`,
  );
  // 1000 / 1002 of 500, 300 and 200 at first. Less the fees and with AAA at 150 the coins are worth 747.75, 299.10 and
  // 199.40, together 1246.25: AAA is 124.63 too much, BBB 74.78 too little, CCC less than 5 % off.
  assert.deepEqual(fills, [
    '5 buy AAAUSDT 4.99',
    '5 buy BBBUSDT 5.988',
    '5 buy CCCUSDT 19.96',
    '10 sell AAAUSDT 0.83',
    '11 buy BBBUSDT 1.495',
  ]);
  const last = run.fills.at(-1);
  assert.ok(last !== undefined && last.cash >= 0n);
  assert.equal(run.counts.get('plan-rebalance'), 5);
  // 2 left of the first buys, 124.3755 received, 74.75 paid; 4.15501 * 150, 7.475517 * 50 and 19.94004 * 10 held.
  assert.equal(run.meter.last.toFixed(5), '1248.05325');
});

const portfolioOf = (coins: readonly BacktestInput[]): PortfolioInput => ({
  profiles: [{ id: newId<ProfileId>(), coins }],
});

test('the report of a basket: each coin by itself, one balance, an even spread as what holding would have made', () => {
  const minutes = Array.from({ length: 15 }, (_, i) => i);
  const prices = { AAAUSDT: (i: number) => (i < 6 ? 100 : 150), BBBUSDT: () => 50, CCCUSDT: () => 10 };
  const inputs = Object.entries(prices).map(([symbol, price]) => {
    const { bound, rules, terms, detail } = inputOf(symbol, minutes.map(price));
    return { bound, rules, terms, candles: detail };
  });
  const outcome = runPortfolioBacktest(portfolioOf(inputs));
  assert.ok(outcome.kind === 'result');
  const { symbol, metrics, coins, fills, equityCurve, holdout, fingerprint } = outcome.result;
  assert.deepEqual([symbol, fills.length, fills[3]?.symbol, holdout], ['basket', 5, 'AAAUSDT', null]);
  assert.equal(metrics.finalEquity.toFixed(5), '1248.05325');
  // A third each, bought at the first open with 0.1 % fee: (1.5 + 1 + 1) / 3 * 0.999 - 1.
  assert.equal(metrics.buyAndHold.toFixed(6), ((3.5 / 3) * 0.999 - 1).toFixed(6));
  assert.deepEqual(Object.keys(coins ?? {}), ['AAAUSDT', 'BBBUSDT', 'CCCUSDT']);
  assert.deepEqual([coins?.['AAAUSDT']?.sold, coins?.['AAAUSDT']?.buyAndHold.toFixed(4)], [124.5, '0.4985']);
  assert.equal(metrics.exposure, 10 / 15);
  // All three first buys together: 499.00, 299.40 and 199.60. The sale and the buy after it bind less.
  assert.equal(metrics.capital.used, 998);
  assert.equal(metrics.capital.returnOnUsed?.toFixed(8), ((metrics.finalEquity - 1000) / 998).toFixed(8));
  const quiet = 5.982012 * 50 + 19.94004 * 10;
  const shareOf = (cash: number, value: number): number => value / (cash + value);
  // Minute 5 with AAA at 100, four with AAA at 150, one after its sale, four after the buy of BBB.
  const shares = [
    shareOf(2, 4.98501 * 100 + quiet),
    4 * shareOf(2, 4.98501 * 150 + quiet),
    shareOf(126.3755, 4.15501 * 150 + quiet),
    4 * shareOf(51.6255, 4.15501 * 150 + 7.475517 * 50 + 199.4004),
  ];
  const exposed = shares.reduce((sum, share) => sum + share, 0) / 15;
  assert.equal(metrics.capital.meanExposure.toFixed(9), exposed.toFixed(9));
  // A third each, as one coin that rose by a sixth on this one day.
  assert.equal(
    metrics.capital.equalExposure.toFixed(9),
    ((1 - 0.001 * exposed) * (1 + exposed * (3.5 / 3 - 1)) - 1).toFixed(9),
  );
  assert.equal(equityCurve.length, 15);
  assert.ok(Math.abs((equityCurve.at(-1)?.equity ?? 0) - metrics.finalEquity) < 1e-9);
  assert.equal(equityCurve.at(-1)?.price.toFixed(6), (3.5 / 3).toFixed(6));
  const again = runPortfolioBacktest(portfolioOf(inputs));
  assert.equal(again.kind === 'result' && again.result.fingerprint, fingerprint);
  const others = inputs.map((input, i) => ({
    ...input,
    rules: { ...input.rules, quoteAsset: i === 0 ? 'USDT' : 'EUR' },
  }));
  const refused = runPortfolioBacktest(portfolioOf(others));
  assert.match(refused.kind === 'refused' ? refused.sentence : '', /one quote asset, but these use USDT, EUR/);
});
