import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import type { Series } from '#backtest/columns.ts';
import type { FillRecord } from '#backtest/result.ts';
import { runBacktest } from '#backtest/run.ts';
import { sliceColumns } from '#core/candle-columns.ts';
import { requireDecimal, ZERO } from '#core/decimal.ts';
import type { SymbolRules } from '#core/symbol.ts';
import { readNamedFile } from '#paper/market/candle-files.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import { CASES, type Case, type CostCase, COSTS, SERIES, type SeriesCase } from './cases.ts';
import { parse, textOf } from './fraction.ts';
import { type Bar, barOf, type Costs, type Market } from './market.ts';
import type { Fill } from './position.ts';
import { run } from './run.ts';

const SHARED = resolve(import.meta.dirname, '..', '..', '..', 'shared', 'data', 'candles');
const FOLDER = process.env['TEST_CANDLES'] ?? SHARED;
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
  const { symbol, interval, intervalMs, columns: all } = readNamedFile(join(FOLDER, file));
  const columns = sliceColumns(all, from, from + BEFORE + TRADED);
  const tickText = tick ?? finestTick(columns);
  const market = {
    tick: parse(tickText),
    step: parse(step),
    minQuantity: parse(step),
    minNotional: parse(MIN_NOTIONAL),
  };
  const { openMs, open, high, low, close, volume } = columns;
  const at = (column: Float64Array, row: number): number => column[row] ?? 0;
  const bars = Array.from(openMs, (ms, row) => {
    const prices = { open: at(open, row), high: at(high, row), low: at(low, row), close: at(close, row) };
    return barOf({ openMs: ms, ...prices, volume: at(volume, row) }, intervalMs, market.tick);
  });
  return { series: { interval, columns }, bars, market, rules: rulesOf(symbol, tickText, step) };
}

const rulesOf = (symbol: string, tick: string, step: string): SymbolRules => ({
  ...{ symbol, status: 'TRADING', baseAsset: symbol.replace(/USDT$/, ''), quoteAsset: 'USDT' },
  orderTypes: ['LIMIT', 'MARKET', 'STOP_LOSS_LIMIT'],
  price: { tick: requireDecimal(tick), min: ZERO, max: ZERO },
  lot: { step: requireDecimal(step), min: requireDecimal(step), max: ZERO },
  marketLot: { step: ZERO, min: ZERO, max: ZERO },
  notional: { min: requireDecimal(MIN_NOTIONAL), max: ZERO, minAppliesToMarket: true },
  band: null,
});

const costsOf = ({ taker, maker, slippage, halfSpread, share, feeIn }: CostCase): Costs => ({
  ...{ balance: parse(BALANCE), taker: parse(taker), maker: parse(maker) },
  ...{ slippage: parse(slippage), halfSpread: parse(halfSpread), share: share === null ? null : parse(share) },
  feeInReceived: feeIn === 'received',
});

/** A fill of the product in the words of the second writing: its reason only by what it is for. */
const told = ({ at, side, price, quantity, fee, reason }: FillRecord): string =>
  `${at} ${side} ${quantity} at ${price}, fee ${fee}, ${/^[a-z]+/.exec(reason)?.[0]}`;
const wanted = ({ atMs, side, price, quantity, fee }: Fill): string =>
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
  return outcome.result.fills.map(told);
}

test('both strategies and the fill model, written a second time from the page, fill alike', { skip }, () => {
  const totals = { coins: 0, runs: 0, fills: 0 };
  const silent: string[] = [];
  const perCase = new Map<string, number>();
  for (const one of SERIES) {
    const coin = openCoin(one);
    totals.coins += 1;
    for (const each of CASES) {
      for (const [at, charged] of COSTS.entries()) {
        const name = `${one.file}, ${each.strategy} ${each.name}, costs ${at}`;
        const expected = run({ ...each, market: coin.market, costs: costsOf(charged), bars: coin.bars, start: BEFORE });
        assert.deepEqual(productFills(coin, each, charged), expected.map(wanted), name);
        totals.runs += 1;
        totals.fills += expected.length;
        const key = `${each.strategy} ${each.name}`;
        perCase.set(key, (perCase.get(key) ?? 0) + expected.length);
      }
    }
  }
  for (const [name, fills] of perCase) if (fills === 0) silent.push(name);
  assert.deepEqual(silent, [], 'settings that never traded compare nothing');
  console.log(`independent: ${totals.fills} fills of ${totals.runs} runs over ${totals.coins} coins are equal`);
});
