import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import type { Series } from '#backtest/columns.ts';
import type { FillRecord } from '#core/research/backtest-result.ts';
import { runBacktest } from '#backtest/run.ts';
import { sliceColumns } from '#core/market/candle-columns.ts';
import { requireDecimal } from '#core/amount/decimal.ts';
import type { SymbolRules } from '#core/market/symbol.ts';
import { readNamedFile } from '#paper/market/candle-files.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import { CASES, type Case, type CostCase, COSTS, SERIES, type SeriesCase } from './cases.ts';
import { parse, textOf } from './fraction.ts';
import { type Bar, barOf, type Costs, type Market } from './market.ts';
import type { Fill } from './position.ts';
import { run } from './run.ts';
import { lengthOf } from './settings.ts';
import { walkOf } from './walk.ts';
import { gridOf, rulesWith } from '#test/harness/rules.ts';

const FOLDER = resolve(import.meta.dirname, '..', '..', '..', 'shared', 'data', 'candles');
const missing = SERIES.map(({ file }) => join(FOLDER, file)).find((path) => !existsSync(path));
const skip = missing === undefined ? false : `recorded candles are not here: ${missing}`;

/** Candles that are traded in each series, and those before them. */
const TRADED = 1500;
const BEFORE = 300;
const BALANCE = '1000';
const MIN_NOTIONAL = '5';

interface Coin {
  readonly series: Series;
  readonly bars: readonly Bar[];
  readonly market: Market;
  readonly rules: SymbolRules;
}

/** The finest decimal that a price shows. */
function finestTick({ open, high, low, close }: Series['columns']): string {
  const places = [open, high, low, close].flatMap((column) =>
    Array.from(column, (value) => value.toFixed(8).replace(/0+$/, '').split('.')[1]?.length ?? 0),
  );
  return (10 ** -places.reduce((a, b) => Math.max(a, b), 0)).toFixed(8);
}

function openCoin({ file, from, step, tick }: SeriesCase): Coin {
  const { symbol, interval, columns: all } = readNamedFile(join(FOLDER, file));
  const columns = sliceColumns(all, from, from + BEFORE + TRADED);
  return coinOf(symbol, { interval, columns }, { tick: tick ?? finestTick(columns), step });
}

function coinOf(
  symbol: string,
  series: Series,
  { tick, step }: { readonly tick: string; readonly step: string },
): Coin {
  const market = { tick: parse(tick), step: parse(step), minQuantity: parse(step), minNotional: parse(MIN_NOTIONAL) };
  const { openMs, open, high, low, close, volume } = series.columns;
  const at = (column: Float64Array, row: number): number => column[row] ?? 0;
  const bars = Array.from(openMs, (ms, row) => {
    const prices = { open: at(open, row), high: at(high, row), low: at(low, row), close: at(close, row) };
    return barOf({ openMs: ms, ...prices, volume: at(volume, row) }, lengthOf(series.interval), market.tick);
  });
  return { series, bars, market, rules: rulesOf(symbol, tick, step) };
}

const rulesOf = (symbol: string, tick: string, step: string): SymbolRules => ({
  ...rulesWith({
    ...{ symbol, baseAsset: symbol.replace(/USDT$/, ''), orderTypes: ['LIMIT', 'MARKET', 'STOP_LOSS_LIMIT'] },
    ...gridOf(tick, step),
  }),
  lists: true,
});

const costsOf = ({ taker, maker, slippage, halfSpread, share, feeIn }: CostCase): Costs => ({
  ...{ balance: parse(BALANCE), taker: parse(taker), maker: parse(maker) },
  ...{ slippage: parse(slippage), halfSpread: parse(halfSpread), share: share === null ? null : parse(share) },
  feeInReceived: feeIn === 'received',
});

/** A fill of the product in the words of the second writing: its reason only by what it is for. */
const recorded = ({ at, side, price, quantity, fee, reason }: FillRecord): string =>
  `${at} ${side} ${quantity} at ${price}, fee ${fee}, ${/^[a-z]+/.exec(reason)?.[0]}`;
const expectedText = ({ atMs, side, price, quantity, fee }: Fill): string =>
  `${new Date(atMs).toISOString()} ${side} ${textOf(quantity)} at ${textOf(price)}, fee ${textOf(fee)}, ${side === 'buy' ? 'entry' : 'exit'}`;

function productFills({ series, rules }: Coin, { strategy: name, config }: Case, charged: CostCase): string[] {
  const strategy = STRATEGIES.get(name);
  assert.ok(strategy);
  const { taker, maker, slippage, halfSpread, share, feeIn } = charged;
  const terms = {
    balance: requireDecimal(BALANCE),
    ...{ feeRate: requireDecimal(taker), makerFeeRate: requireDecimal(maker), feeIn },
    ...{ slippage: requireDecimal(slippage), halfSpread: requireDecimal(halfSpread) },
    ...(share === null ? {} : { participation: requireDecimal(share) }),
  };
  const fromMs = series.columns.openMs[BEFORE] ?? 0;
  const bound = strategy.bind(strategy.config.parse(config));
  const outcome = runBacktest({ bound, rules, terms, candles: series, detail: series, fromMs });
  assert.ok(outcome.kind === 'result', outcome.kind === 'refused' ? outcome.sentence : '');
  return outcome.result.fills.map(recorded);
}

interface Totals {
  coins: number;
  runs: number;
  readonly fills: Map<string, number>;
}

/** Compares every fill of every case on one coin. */
function compare(name: string, coin: Coin, { cases, totals }: { cases: readonly Case[]; totals: Totals }): void {
  totals.coins += 1;
  for (const each of cases) {
    const key = `${each.strategy} ${each.name}`;
    for (const [at, charged] of COSTS.entries()) {
      const expected = run({ ...each, market: coin.market, costs: costsOf(charged), bars: coin.bars, start: BEFORE });
      assert.deepEqual(productFills(coin, each, charged), expected.map(expectedText), `${name}, ${key}, costs ${at}`);
      totals.runs += 1;
      totals.fills.set(key, (totals.fills.get(key) ?? 0) + expected.length);
    }
  }
}

function sumOf({ coins, runs, fills }: Totals): string {
  const silent = [...fills].filter(([, count]) => count === 0).map(([key]) => key);
  assert.deepEqual(silent, [], 'settings that never traded compare nothing');
  const sum = [...fills.values()].reduce((all, count) => all + count, 0);
  return `${sum} fills of ${runs} runs over ${coins} coins are equal`;
}

test('recorded candles: both strategies, written a second time from the page, fill alike', { skip }, () => {
  const totals: Totals = { coins: 0, runs: 0, fills: new Map() };
  for (const one of SERIES) compare(one.file, openCoin(one), { cases: CASES, totals });
  assert.ok(totals.coins >= 10);
  console.log(`independent: ${sumOf(totals)}`);
});

/** Every setting of the gates needs days, of which the walks have few. */
const QUICK = CASES.map((each) => ({ ...each, config: { ...each.config, candleInterval: '5m' } })).filter(
  ({ config }) => !('regime' in config),
);

test('made-up candles: both strategies, written a second time from the page, fill alike', () => {
  const totals: Totals = { coins: 0, runs: 0, fills: new Map() };
  for (const seed of [1, 2])
    compare(`walk ${seed}`, coinOf('WALKUSDT', walkOf(seed, BEFORE + TRADED), { tick: '0.01', step: '0.001' }), {
      cases: QUICK,
      totals,
    });
  sumOf(totals);
});
