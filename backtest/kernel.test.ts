import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { INTERVAL_MS } from '#core/market/candle.ts';
import { sliceColumns } from '#core/market/candle-columns.ts';
import {
  add,
  type Decimal,
  floorToStep,
  multiply,
  requireDecimal,
  subtract,
  toNumber,
  ZERO,
} from '#core/amount/decimal.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import { GOLDEN_RULES } from '#test/golden/market-run.ts';
import { randomMinutes } from '#test/golden/random-candles.ts';
import { aggregateSeries, type Series } from './columns.ts';
import { type KernelRun, runKernel } from './kernel.ts';
import { runBacktest } from './run.ts';

const TERMS = { balance: requireDecimal('1000'), feeRate: requireDecimal('0.001'), slippage: requireDecimal('0.0003') };
/** Tight enough to trade often on random minutes. */
const CONFIG = {
  candleInterval: '5m',
  buy: { candleLimit: 3, gridLevels: [{ triggerPercentage: '1.005' }], lossCooldownMinutes: 10 },
  sell: { stopLossPercentage: '0.985', triggerPercentage: '1.004', trailingStopPercentage: '0.997' },
};

function boundTrader(config: unknown = CONFIG) {
  const strategy = STRATEGIES.get('trailing-trade');
  assert.ok(strategy);
  return strategy.bind(strategy.config.parse(config));
}

function trade(detail: Series, rows = detail.columns.openMs.length): KernelRun {
  const known = { interval: detail.interval, columns: sliceColumns(detail.columns, 0, rows) };
  const signal = aggregateSeries(known, '5m');
  const input = { bound: boundTrader(), rules: GOLDEN_RULES, terms: TERMS, signal, detail: known, start: 0, end: rows };
  return runKernel({ ...input, recordDecisions: true });
}

const total = (amounts: readonly Decimal[]): Decimal => amounts.reduce(add, ZERO);

test('cash and position are conserved to the last digit', () => {
  let traded = 0;
  fc.assert(
    fc.property(randomMinutes(400), (series) => {
      const { book } = trade(series);
      const fills = book.fills.map(({ fill }) => fill);
      const buys = fills.filter((fill) => fill.side === 'buy');
      const sells = fills.filter((fill) => fill.side === 'sell');
      const received = total(sells.map((fill) => subtract(fill.quoteQuantity, fill.feeAmount)));
      const paid = total(buys.map((fill) => fill.quoteQuantity));
      assert.equal(book.balance.cash, subtract(add(TERMS.balance, received), paid));
      const bought = total(buys.map((fill) => subtract(fill.quantity, fill.feeAmount)));
      assert.equal(book.position.quantity, subtract(bought, total(sells.map((fill) => fill.quantity))));
      assert.ok(book.balance.cash >= 0n && book.position.quantity >= 0n);
      traded += sells.length;
      if (book.position.firstBuyAt !== null) return;
      // Flat: the nets of the cycles and what is carried over explain every change of the cash.
      const carried = multiply(book.position.quantity, book.position.averagePrice);
      const nets = total(book.cycles.map((cycle) => cycle.net));
      assert.equal(add(TERMS.balance, nets), add(book.balance.cash, carried));
    }),
    { numRuns: 60, seed: 11 },
  );
  assert.ok(traded > 50, `only ${traded} sells: the property was hardly tested`);
});

const STOP_LEVELS = new Set(['exit-stop-loss', 'exit-trail', 'exit-break-even']);

test('every fill obeys the rules of filling', () => {
  let stops = 0;
  fc.assert(
    fc.property(randomMinutes(300), (series) => {
      const { book, decisions, reasons } = trade(series);
      const { openMs, open, high, low } = series.columns;
      for (const { fill, reason } of book.fills) {
        const row = openMs.findLastIndex((ms) => ms <= fill.at.getTime());
        assert.equal(floorToStep(fill.price, GOLDEN_RULES.price.tick), fill.price, 'on the price grid');
        assert.equal(floorToStep(fill.quantity, GOLDEN_RULES.lot.step), fill.quantity, 'on the lot grid');
        if (reasons[decisions?.[row - 1] ?? -1] !== reason) {
          assert.ok(STOP_LEVELS.has(reason), `${reason} is a level of the stop on the exchange`);
          // The slippage of 0.03 % may take it a few ticks below the low.
          const price = toNumber(fill.price);
          assert.ok(
            price <= (high[row] ?? 0) && price >= (low[row] ?? 0) * 0.9997 - 0.01,
            `${price} inside its candle`,
          );
          stops += 1;
          continue;
        }
        assert.ok(
          row > 0 && openMs[row] === fill.at.getTime(),
          'a fill happens at the open of a candle after the first',
        );
        const opened = requireDecimal((open[row] ?? 0).toFixed(2));
        assert.ok(fill.side === 'buy' ? fill.price >= opened : fill.price <= opened, 'never better than the open');
      }
    }),
    { numRuns: 40, seed: 12 },
  );
  assert.ok(stops > 20, `only ${stops} stops: the property was hardly tested`);
});

test('hiding the future changes no earlier decision and no earlier fill', () => {
  fc.assert(
    fc.property(randomMinutes(300), fc.nat(1000), (series, share) => {
      const rows = series.columns.openMs.length;
      const known = 1 + Math.floor((share / 1001) * (rows - 1));
      const all = trade(series);
      const blind = trade(series, known);
      const name = (run: KernelRun, row: number): string | undefined => run.reasons[run.decisions?.[row] ?? -1];
      for (let row = 0; row < known; row++) assert.equal(name(blind, row), name(all, row), `candle ${row} of ${known}`);
      assert.deepEqual(blind.book.fills, all.book.fills.slice(0, blind.book.fills.length));
    }),
    { numRuns: 40, seed: 13 },
  );
});

test('the same inputs give the same record, fingerprint included; another fee gives another', () => {
  fc.assert(
    fc.property(randomMinutes(300), (series) => {
      const input = { bound: boundTrader(), rules: GOLDEN_RULES, terms: TERMS, candles: series };
      const [first, second] = [runBacktest(input), runBacktest({ ...input, bound: boundTrader() })];
      assert.deepEqual(first, second);
      assert.ok(first.kind === 'result');
      if (first.result.fills.length === 0) return;
      const dearer = runBacktest({ ...input, terms: { ...TERMS, feeRate: requireDecimal('0.0011') } });
      assert.ok(dearer.kind === 'result');
      assert.notEqual(dearer.result.fingerprint, first.result.fingerprint);
    }),
    { numRuns: 20, seed: 14 },
  );
});

/** Minutes with the given closes; each opens at the close before, or at its own entry of `opens`. */
function minutes(closes: readonly number[], opens: Readonly<Record<number, number>> = {}): Series {
  const close = Float64Array.from(closes);
  const open = Float64Array.from(closes, (value, i) => opens[i] ?? closes[i - 1] ?? value);
  const openMs = Float64Array.from(closes, (_close, i) => i * INTERVAL_MS['1m']);
  const high = open.map((value, i) => Math.max(value, close[i] ?? 0));
  const low = open.map((value, i) => Math.min(value, close[i] ?? 0));
  return { interval: '1m', columns: { openMs, open, high, low, close, volume: open.map(() => 1) } };
}

const MINUTELY = { candleInterval: '1m', buy: { candleLimit: 1, gridLevels: [{ triggerPercentage: '1.01' }] } };

test('a buy that the next open made dearer than the balance is rejected and decided again', () => {
  const config = { ...MINUTELY, buy: { ...MINUTELY.buy, entrySizing: { amount: '1000' } } };
  // 1000 / 100.2 = 9.98 coins: at 101 they cost 1007.98, at 100 again 998.
  const outcome = runBacktest({
    bound: boundTrader(config),
    rules: GOLDEN_RULES,
    terms: { ...TERMS, slippage: ZERO },
    candles: minutes([100, 100, 100], { 1: 101, 2: 100 }),
  });
  assert.ok(outcome.kind === 'result');
  const { rejections, fills } = outcome.result;
  const reason = 'order-insufficient-balance';
  assert.deepEqual(rejections, [{ at: '1970-01-01T00:01:00.000Z', side: 'buy', quantity: '9.98', reason }]);
  assert.deepEqual(
    fills.map(({ at, price, quote }) => [at, price, quote]),
    [['1970-01-01T00:02:00.000Z', '100', '998']],
  );
});

test('an entry that the rules forbid is counted under the reason of the refusal', () => {
  const config = { ...MINUTELY, buy: { ...MINUTELY.buy, entrySizing: { amount: '5.30' } } };
  const outcome = runBacktest({
    bound: boundTrader(config),
    rules: GOLDEN_RULES,
    terms: TERMS,
    candles: minutes([100, 100]),
  });
  assert.ok(outcome.kind === 'result');
  // 0.052 coins less the fee, 0.051 whole lots, at the stop limit 96.51 are worth 4.92, below 5.25.
  assert.deepEqual(outcome.result.decisions, { 'size-exit-infeasible': 2 });
  assert.deepEqual(outcome.result.fills, []);
});

/** Without what is said of every run on the strategy's own candles. */
const withoutTicks = (warnings: readonly string[]): string[] =>
  warnings.filter((warning) => !warning.includes('acts at any price'));

test('the window trades, the candles before it only warm up', () => {
  const config = { ...MINUTELY, buy: { ...MINUTELY.buy, candleLimit: 3 } };
  const input = {
    bound: boundTrader(config),
    rules: GOLDEN_RULES,
    terms: TERMS,
    candles: minutes([100, 100, 100, 100, 100, 100]),
  };
  const cold = runBacktest(input);
  const warm = runBacktest({ ...input, fromMs: 4 * INTERVAL_MS['1m'] });
  assert.ok(cold.kind === 'result' && warm.kind === 'result');
  assert.equal(cold.result.decisions['entry-history-short'], 2);
  assert.deepEqual(withoutTicks(cold.result.warnings), [
    '0 of 3 candles lie before the window: the strategy warmed up inside it.',
  ]);
  assert.equal(warm.result.decisions['entry-history-short'], undefined);
  assert.equal(warm.result.coverage.warmUp, 3);
  assert.deepEqual(withoutTicks(warm.result.warnings), []);
  assert.deepEqual([warm.result.from, warm.result.coverage.candles], ['1970-01-01T00:04:00.000Z', 2]);
});

test('a window that the candles do not fill says so', () => {
  const candles = minutes([100, 100, 100, 100, 100]);
  candles.columns.openMs.set([2, 3, 4, 7, 8].map((minute) => minute * INTERVAL_MS['1m']));
  const input = { bound: boundTrader(MINUTELY), rules: GOLDEN_RULES, terms: TERMS, candles };
  const outcome = runBacktest({ ...input, fromMs: 60_000, toMs: 600_000 });
  assert.ok(outcome.kind === 'result');
  assert.deepEqual(withoutTicks(outcome.result.warnings), [
    'The candles of the window begin at 1970-01-01T00:02:00.000Z, later than requested.',
    'The candles of the window end at 1970-01-01T00:09:00.000Z, earlier than requested.',
    '2 candles are missing in one gap, the longest 2 minutes: 71.43 % covered.',
    '0 of 1 candles lie before the window: the strategy warmed up inside it.',
  ]);
});

test('signal candles that end before the window are refused, holes in them are told', () => {
  const detail = minutes(Array.from({ length: 30 }, () => 100));
  const candles = aggregateSeries(minutes(Array.from({ length: 20 }, () => 100)), '5m');
  const input = { bound: boundTrader(), rules: GOLDEN_RULES, terms: TERMS, candles, detail };
  const short = runBacktest(input);
  assert.ok(short.kind === 'result');
  assert.equal(short.result.warnings[0], '2 of 6 candles of 5m are missing in the window.');
  assert.deepEqual(runBacktest({ ...input, fromMs: 20 * INTERVAL_MS['1m'] }), {
    kind: 'refused',
    sentence:
      'No 5m candle lies between 1970-01-01T00:20:00.000Z and 1970-01-01T00:30:00.000Z: the strategy would see nothing.',
  });
});

test('what cannot be run honestly is refused with a sentence', () => {
  const input = { bound: boundTrader(MINUTELY), rules: GOLDEN_RULES, terms: TERMS, candles: minutes([100, 101]) };
  assert.deepEqual(runBacktest({ ...input, fromMs: 10 * INTERVAL_MS['1m'] }), {
    kind: 'refused',
    sentence: 'There are no candles in the window: they cover 1970-01-01T00:00:00.000Z to 1970-01-01T00:02:00.000Z.',
  });
  const coarse: Series = { ...minutes([100, 101]), interval: '5m' };
  assert.deepEqual(runBacktest({ ...input, candles: coarse }), {
    kind: 'refused',
    sentence: 'The strategy decides on 1m candles, to which 5m candles do not add up.',
  });
});
