import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { add, formatDecimal, fromSteps, multiply, requireDecimal, subtract, ZERO } from '#core/amount/decimal.ts';
import { newId, type ProfileId } from '#core/ids.ts';
import { FLAT } from '#core/position/position.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import type { Series } from './columns.ts';
import { compareDryRun, type DryRunCoinInput } from './dry-run.ts';
import { openPortfolio } from './portfolio-backtest.ts';
import { runPortfolio } from './portfolio-run.ts';
import type { BacktestInput } from './run.ts';
import type { Opening } from './run-state.ts';
import { rulesOf, walk } from './test-walk.ts';

const d = requireDecimal;
const ROWS = 1200;
const TERMS = { balance: d('1000'), feeRate: d('0.001'), slippage: d('0.0002') };
const profileId = newId<ProfileId>();

const PRESENT = {
  candleInterval: '5m',
  buy: { candleLimit: 10, entrySizing: { mode: 'fixed', amount: '300' }, gridLevels: [{ triggerPercentage: '1.003' }] },
  sell: { stopLossPercentage: '0.98', triggerPercentage: '1.006', trailingStopPercentage: '0.996' },
};
const CHANGED = { ...PRESENT, sell: { ...PRESENT.sell, triggerPercentage: '1.012' } };
const MOMENTUM = {
  candleInterval: '5m',
  ema: { fast: 3, slow: 8 },
  entrySizing: { mode: 'percent-of-equity', percent: '0.4' },
  entryExtension: { maxPercentage: '' },
};

interface Coin {
  readonly nth: number;
  readonly candles: Series;
  readonly opening?: Opening;
}

function inputOf(config: object, { nth, candles, opening }: Coin, name = 'trailing-trade'): BacktestInput {
  const strategy = STRATEGIES.get(name);
  assert.ok(strategy);
  const asset = 'ABCD'[nth]?.repeat(3) ?? '';
  const rules = { ...rulesOf('0.01', '0.001'), symbol: `${asset}USDT`, baseAsset: asset };
  const fromMs = candles.columns.openMs[200] ?? 0;
  return {
    bound: strategy.bind(strategy.config.parse(config)),
    rules,
    terms: TERMS,
    candles,
    fromMs,
    ...(opening && { opening }),
  };
}

const pairOf = (present: BacktestInput, changed: BacktestInput): DryRunCoinInput => ({
  symbol: present.rules.symbol,
  quoteAsset: 'USDT',
  input: { present, changed },
});

const compare = (coins: readonly DryRunCoinInput[]) => compareDryRun({ profileId, coins, fromMs: 0, toMs: 60_000 });

const coinsOf = (seed: number, count: number): Coin[] =>
  Array.from({ length: count }, (_, nth) => ({
    nth,
    candles: walk(seed + nth * 7919, ROWS, { tick: 0.01, price: 100 + 30 * nth, gaps: nth === 1 }),
  }));

/** A position of 2 AAA, bought at 100 in two fills. */
const HELD: Opening = {
  position: {
    ...FLAT,
    ...{
      quantity: d('2'),
      averagePrice: d('100'),
      cost: d('200.2'),
      peakQuantity: d('2'),
      cycle: 4,
      filledQuote: d('200'),
    },
    ...{ firstBuyAt: new Date(Date.UTC(2024, 0, 1, 20)), lastFillAt: new Date(Date.UTC(2024, 0, 1, 21)) },
  },
  levels: [{ level: 0, plannedQuote: d('200'), filledQuote: d('200') }],
  state: null,
};

test('the same config on both sides: no decision differs, and both sides are equal to the last digit', () => {
  fc.assert(
    fc.property(fc.nat(), fc.constantFrom('trailing-trade', 'momentum'), fc.boolean(), (seed, name, holds) => {
      const config = name === 'momentum' ? MOMENTUM : PRESENT;
      const pairs = coinsOf(seed, 2).map((coin) => {
        const opened = holds && coin.nth === 0 ? { ...coin, opening: HELD } : coin;
        return pairOf(inputOf(config, opened, name), inputOf(config, opened, name));
      });
      const { coins, totals, differing, decisions } = compare(pairs);
      assert.equal(differing, 0);
      assert.equal(decisions, 2 * (ROWS - 200));
      for (const { present, changed, first, recent } of [...coins]) {
        assert.deepEqual(changed, present);
        assert.deepEqual([first, recent], [null, []]);
      }
      assert.deepEqual(totals[0]?.changed, totals[0]?.present);
    }),
    { numRuns: 25, seed: 5 },
  );
});

/** One side by a plain backtest of all coins: the reason of each close, and the money by cash and coins. */
function recount(inputs: readonly BacktestInput[]) {
  const opened = openPortfolio({ profiles: [{ id: profileId, coins: inputs }] });
  assert.ok(opened.kind === 'portfolio');
  const reasons = new Map<string, string[]>();
  const run = runPortfolio(opened.portfolio, ({ book }, nowMs, reason) => {
    const { symbol } = book.rules;
    const order = [book.pending?.number, book.pending?.side, book.entry?.number];
    reasons.set(symbol, [...(reasons.get(symbol) ?? []), [nowMs, reason, order.join()].join(' ')]);
  });
  const worth = (at: 'start' | 'end') =>
    run.runs.reduce((sum, { book, view, input }) => {
      const open = Math.round((input.detail.columns.open[input.start] ?? 0) / 0.01);
      const [quantity, ticks] =
        at === 'end' ? [book.position.quantity, view.price] : [input.opening?.position.quantity ?? ZERO, open];
      return add(sum, multiply(quantity, fromSteps(ticks, book.rules.price.tick)));
    }, ZERO);
  const cash = run.runs[0]?.book.balance.cash ?? ZERO;
  return { reasons, net: formatDecimal(subtract(add(cash, worth('end')), add(TERMS.balance, worth('start')))) };
}

test('a changed config: reasons and money are those of two plain backtests', () => {
  let found = 0;
  fc.assert(
    fc.property(fc.nat(), fc.boolean(), (seed, holds) => {
      const coins = coinsOf(seed, 3).map((coin) => (holds && coin.nth === 0 ? { ...coin, opening: HELD } : coin));
      const [present, changed] = [PRESENT, CHANGED].map((config) => coins.map((coin) => inputOf(config, coin)));
      assert.ok(present && changed);
      const result = compare(present.map((one, i) => pairOf(one, changed[i] ?? one)));
      const [one, other] = [recount(present), recount(changed)];
      assert.equal(result.totals[0]?.present.net, one.net);
      assert.equal(result.totals[0]?.changed.net, other.net);
      for (const { symbol, differing, first } of result.coins) {
        const reasonsOf = (lines: readonly string[]) => lines.map((line) => line.split(' ').slice(0, 2).join(' '));
        const [a, b] = [reasonsOf(one.reasons.get(symbol) ?? []), reasonsOf(other.reasons.get(symbol) ?? [])];
        const different = a.filter((line, i) => line !== b[i]);
        assert.ok(differing >= different.length, `${symbol}: ${differing} of ${different.length}`);
        found += differing;
        if (different.length > 0 && first !== null)
          assert.ok(Date.parse(first.at) <= Number(different[0]?.split(' ')[0]), symbol);
      }
      const sum = result.coins.reduce((net, coin) => add(net, d(coin.changed.net)), ZERO);
      assert.equal(formatDecimal(sum), result.totals[0]?.changed.net);
    }),
    { numRuns: 20, seed: 8 },
  );
  assert.ok(found > 100, `${found} differences over all seeds`);
});

test('a larger order under the same reason is a different decision', () => {
  const [coin] = coinsOf(3, 1);
  assert.ok(coin);
  const larger = { ...PRESENT, buy: { ...PRESENT.buy, entrySizing: { mode: 'fixed', amount: '301' } } };
  const { coins } = compare([pairOf(inputOf(PRESENT, coin), inputOf(larger, coin))]);
  const { first, present, changed } = coins[0] ?? assert.fail();
  assert.ok(first?.present.order && first.changed.order);
  assert.equal(first.present.reason, first.changed.reason);
  assert.notEqual(first.present.order.quantity, first.changed.order.quantity);
  assert.notEqual(present.fees, changed.fees);
});

test('a position that is taken over has its stop from the start, and both sides sell it', () => {
  const [coin] = coinsOf(4, 1);
  assert.ok(coin);
  const opened = { ...coin, opening: HELD };
  const tight = { ...PRESENT, sell: { ...PRESENT.sell, stopLossPercentage: '0.999' } };
  const { coins, totals } = compare([pairOf(inputOf(PRESENT, opened), inputOf(tight, opened))]);
  const { present, changed, first } = coins[0] ?? assert.fail();
  assert.ok(present.sells > 0 && changed.sells > 0, JSON.stringify({ present, changed }));
  assert.ok(first);
  const open = coin.candles.columns.open[200] ?? 0;
  assert.equal(Number(totals[0]?.held), Number((2 * open).toFixed(2)));
});

test('a coin without candles, or whose strategy throws, is named, and the others are computed', () => {
  const [good, empty, broken] = coinsOf(6, 3);
  assert.ok(good && empty && broken);
  const alone = compare([pairOf(inputOf(PRESENT, good), inputOf(CHANGED, good))]);
  const none = { ...inputOf(PRESENT, empty), toMs: 0 };
  const fails = inputOf(PRESENT, broken);
  const throwing = {
    ...fails,
    bound: {
      ...fails.bound,
      create: () => {
        throw new Error('the file has no answer');
      },
    },
  };
  const pairs = [
    pairOf(inputOf(PRESENT, good), inputOf(CHANGED, good)),
    pairOf(none, none),
    pairOf(fails, throwing),
    { symbol: 'DDDUSDT', quoteAsset: 'USDT', input: { refused: 'There are no candles of it.' } },
  ];
  const { coins, totals } = compare(pairs);
  assert.deepEqual(coins[0], alone.coins[0]);
  assert.deepEqual(totals, alone.totals);
  assert.match(coins[1]?.refused ?? '', /no candles in the window/);
  assert.match(coins[2]?.refused ?? '', /the file has no answer/);
  assert.equal(coins[3]?.refused, 'There are no candles of it.');
});
