import {
  add,
  type Decimal,
  divideUnits,
  formatDecimal,
  formatUnits,
  fromSteps,
  maximum,
  multiply,
  multiplyUnits,
  requireDecimal,
  subtract,
  toNumber,
  ZERO,
} from '#core/amount/decimal.ts';
import { INTERVAL_MS } from '#core/market/candle.ts';
import { type ExchangeFill, feeValueOf } from '#core/order/fill.ts';
import type { FillRecord } from '#core/research/backtest-result.ts';
import type { SymbolRules } from '#core/market/symbol.ts';
import type { RecordedFills, RecordedRun } from '#strategies/sweep.ts';
import { cycleAt, emptyCycles } from './cycle-columns.ts';
import { type EquityMeter, meterRows, openMeter } from './equity.ts';
import { emptyColumns, indexIn } from './fill-columns.ts';
import { overrunLoss } from './market.ts';
import { inParts } from './parts.ts';
import { closeGrid, type CloseGrid, offGridIn } from './price-grid.ts';
import { cycleRecord, iso } from './records.ts';
import type { KernelInput } from './run-state.ts';
import type { Traded } from './traded.ts';

/** A coin as the kernel gives it. */
interface RecordedCoin extends Pick<RecordedRun, 'decisions' | 'heldCandles' | 'warmUp' | 'skipped'> {
  readonly traded: Traded;
  readonly openPosition: { readonly quantity: Decimal; readonly averagePrice: Decimal } | null;
  readonly meter: EquityMeter;
  readonly peakCapital: Decimal;
  readonly offGrid: number;
}

/** The unit of a recorded amount, and how many of it are one. */
const UNIT = requireDecimal('0.00000001');
const UNITS = 1e8;
const UNITS_IN_ONE = 100_000_000n;

/**
 * Runs a coin as a vector run; undefined where its strategy, its config or an event needs the kernel. Decisions, fills, equity
 * and texts are those of the kernel.
 */
export function recordCoin(kernel: KernelInput): RecordedCoin | undefined {
  const { bound, rules, terms, signal, detail, start, end, opening } = kernel;
  const run = opening === undefined ? bound.record?.({ rules, terms, signal, detail, start, end }) : undefined;
  if (run === undefined) return undefined;
  const { decisions, heldCandles, warmUp, skipped } = run;
  const fills = columnsOf(run, kernel);
  const { cycles, nets, openPosition, peakCapital } = cyclesIn(run, kernel);
  const overrun = overrunOf(run.fills, kernel);
  const grid = closeGrid(detail.columns, toNumber(rules.price.tick));
  return {
    ...{ decisions, heldCandles, warmUp, skipped, openPosition, peakCapital },
    traded: {
      ...{ fills, cycles, rejections: [], doubtful: overrun.stops, overrun },
      fillRecords: () => fillRecords(run, kernel, nets),
      cycleRecords: () => nets.map((net, i) => cycleRecord({ ...cycleAt(cycles, i), net })),
    },
    meter: meterOf(run.fills, kernel, grid),
    offGrid: offGridIn(grid, start, end),
  };
}

/** The cycles that have been read so far. */
interface CycleReader {
  readonly fills: RecordedFills;
  readonly reasons: readonly string[];
  readonly grid: ReturnType<typeof valueGrid>;
  readonly columns: ReturnType<typeof emptyCycles>;
  readonly exits: string[];
  /** The exact net of each cycle. */
  readonly nets: Decimal[];
  averagePrice: Decimal;
  peakCapital: Decimal;
  /** The rest below a lot that the last cycle left: its quantity in 1e-8, and its cost. */
  dust: number;
  restCost: Decimal;
}

function cyclesIn({ fills, reasons }: RecordedRun, { rules }: KernelInput) {
  const reader: CycleReader = {
    ...{ fills, reasons, grid: valueGrid(rules), columns: emptyCycles(fills.count >> 1), exits: [], nets: [] },
    ...{ averagePrice: ZERO, peakCapital: ZERO, dust: 0, restCost: ZERO },
  };
  inParts(fills.count, (from, to) => readCycles(reader, from, to));
  const { columns, exits, nets, averagePrice, peakCapital } = reader;
  const open = fills.count % 2 === 1;
  const quantity = fromSteps(fills.position[fills.count - 1] ?? 0, UNIT);
  return { cycles: { ...columns, exits }, nets, peakCapital, openPosition: open ? { quantity, averagePrice } : null };
}

/**
 * Reads fills `from` to `to` of a coin that buys once and then sells all that it can. Costs and nets are those of foldFill
 * (core/position/position.ts), without a position object for each fill.
 */
function readCycles(reader: CycleReader, from: number, to: number): void {
  const { fills, reasons, grid, columns, exits, nets } = reader;
  let { averagePrice, peakCapital, dust, restCost } = reader;
  for (let buy = from; buy < to; buy += 2) {
    const [sell, cycle] = [buy + 1, buy >> 1];
    const [held, paid] = [fills.position[buy] ?? 0, fills.quote[buy] ?? 0];
    const bought = valueOf(grid, held - dust, fills.ticks[buy] ?? 0);
    averagePrice = divideUnits(add(restCost, bought), held);
    peakCapital = maximum(peakCapital, add(restCost, fromSteps(paid, UNIT)));
    if (sell === fills.count) break;
    dust = fills.position[sell] ?? 0;
    const costBefore = restCost;
    restCost = multiplyUnits(averagePrice, dust);
    const gained = fromSteps((fills.quote[sell] ?? 0) - (fills.fee[sell] ?? 0) - paid, UNIT);
    const net = add(gained, subtract(restCost, costBefore));
    nets.push(net);
    columns.number[cycle] = cycle + 1;
    columns.openedMs[cycle] = fills.atMs[buy] ?? 0;
    columns.closedMs[cycle] = fills.atMs[sell] ?? 0;
    columns.net[cycle] = toNumber(net);
    columns.exit[cycle] = indexIn(exits, reasons[fills.reason[sell] ?? 0] ?? '');
  }
  Object.assign(reader, { averagePrice, peakCapital, dust, restCost });
}

const valueGrid = ({ price: { tick } }: SymbolRules) => ({
  tick,
  /** Value in quote of 1e-8 at one tick, when it is exact. */
  ofOne: tick % UNITS_IN_ONE === 0n ? multiply(tick, UNIT) : undefined,
});

/** Value in quote of a quantity in 1e-8 at a price in ticks. */
const valueOf = ({ tick, ofOne }: ReturnType<typeof valueGrid>, quantity: number, ticks: number): Decimal =>
  ofOne !== undefined && isExact(quantity * ticks)
    ? fromSteps(quantity * ticks, ofOne)
    : multiply(fromSteps(ticks, tick), fromSteps(quantity, UNIT));

/** The exact texts of the fills. A sale realises the net of its cycle. */
function fillRecords({ fills, reasons }: RecordedRun, { rules }: KernelInput, nets: readonly Decimal[]): FillRecord[] {
  const { price, lot, baseAsset, quoteAsset } = rules;
  const [tickUnits, lotUnits] = [unitsOf(price.tick), unitsOf(lot.step)];
  return Array.from({ length: fills.count }, (_, i) => {
    const [lots, ticks] = [fills.lots[i] ?? 0, fills.ticks[i] ?? 0];
    const buying = lots > 0;
    const priceUnits = ticks * tickUnits;
    return {
      at: iso(fills.atMs[i] ?? 0),
      side: buying ? 'buy' : 'sell',
      price: isExact(priceUnits) ? formatUnits(priceUnits) : formatDecimal(fromSteps(ticks, price.tick)),
      quantity: formatUnits(Math.abs(lots) * lotUnits),
      quote: formatUnits(fills.quote[i] ?? 0),
      fee: formatUnits(fills.fee[i] ?? 0),
      feeAsset: buying ? baseAsset : quoteAsset,
      reason: reasons[fills.reason[i] ?? 0] ?? '',
      cycle: (i >> 1) + 1,
      realised: buying ? null : formatDecimal(nets[i >> 1] ?? ZERO),
      cash: formatUnits(fills.cash[i] ?? 0),
      position: formatUnits(fills.position[i] ?? 0),
    };
  });
}

/** The fill of the kernel's book, without the numbers that only live trading uses. */
function exactFill(fills: RecordedFills, i: number, { rules }: Pick<KernelInput, 'rules'>): ExchangeFill {
  const lots = fills.lots[i] ?? 0;
  const buying = lots > 0;
  return {
    ...{ symbol: rules.symbol, tradeId: '', exchangeOrderId: '', side: buying ? 'buy' : 'sell', maker: false },
    price: fromSteps(fills.ticks[i] ?? 0, rules.price.tick),
    quantity: fromSteps(Math.abs(lots), rules.lot.step),
    quoteQuantity: fromSteps(fills.quote[i] ?? 0, UNIT),
    feeAmount: fromSteps(fills.fee[i] ?? 0, UNIT),
    feeAsset: buying ? rules.baseAsset : rules.quoteAsset,
    at: new Date(fills.atMs[i] ?? 0),
  };
}

/** The columns of a report. Each value is the one to which the exact decimal rounds. */
function columnsOf({ fills, reasons: names }: RecordedRun, { rules }: KernelInput) {
  const columns = emptyColumns(fills.count);
  const reasons: string[] = [];
  const reader = { fills, names, rules, columns, reasons };
  inParts(fills.count, (from, to) => readColumns(reader, from, to));
  return { ...columns, reasons, coins: [] };
}

interface ColumnReader {
  readonly fills: RecordedFills;
  readonly names: readonly string[];
  readonly rules: SymbolRules;
  readonly columns: ReturnType<typeof emptyColumns>;
  readonly reasons: string[];
}

function readColumns({ fills, names, rules, columns, reasons }: ColumnReader, from: number, to: number): void {
  const { tick } = rules.price;
  const [tickUnits, lotUnits] = [unitsOf(tick), unitsOf(rules.lot.step)];
  for (let i = from; i < to; i++) {
    const lots = fills.lots[i] ?? 0;
    const ticks = fills.ticks[i] ?? 0;
    const price = ticks * tickUnits;
    const fee = fills.fee[i] ?? 0;
    columns.atMs[i] = fills.atMs[i] ?? 0;
    columns.cycle[i] = (i >> 1) + 1;
    columns.buys[i] = lots > 0 ? 1 : 0;
    columns.price[i] = isExact(price) ? price / UNITS : toNumber(fromSteps(ticks, tick));
    columns.quantity[i] = (Math.abs(lots) * lotUnits) / UNITS;
    columns.quote[i] = (fills.quote[i] ?? 0) / UNITS;
    columns.fee[i] = fee / UNITS;
    const value = fee * price;
    if (lots < 0) columns.feeQuote[i] = fee / UNITS;
    else columns.feeQuote[i] = isExact(value) ? value / (UNITS * UNITS) : feeValue(fills, i, rules);
    columns.cash[i] = (fills.cash[i] ?? 0) / UNITS;
    columns.position[i] = (fills.position[i] ?? 0) / UNITS;
    columns.reason[i] = indexIn(reasons, names[fills.reason[i] ?? 0] ?? '');
  }
}

const feeValue = (fills: RecordedFills, i: number, rules: SymbolRules): number =>
  toNumber(feeValueOf(exactFill(fills, i, { rules }), rules, null) ?? ZERO);

/** Whole 1e-8, or NaN. */
const unitsOf = (amount: Decimal): number => (amount % UNIT === 0n ? Number(amount / UNIT) : Number.NaN);
const isExact = (units: number): boolean => units <= Number.MAX_SAFE_INTEGER;

/** The equity at each close: between two fills, cash and position stay the same. */
function meterOf(fills: RecordedFills, { terms, detail, start, end }: KernelInput, { closes }: CloseGrid): EquityMeter {
  const { openMs } = detail.columns;
  const meter = openMeter(toNumber(terms.balance), openMs[start] ?? 0);
  const lengthMs = INTERVAL_MS[detail.interval];
  const held = { openMs, lengthMs, closes, cash: meter.last, quantity: 0, from: start, to: start };
  const reader = { fills, meter, held };
  inParts(fills.count, (from, to) => readEquity(reader, from, to));
  held.from = held.to;
  held.to = end;
  meterRows(meter, held);
  return meter;
}

interface EquityReader {
  readonly fills: RecordedFills;
  readonly meter: EquityMeter;
  readonly held: { cash: number; quantity: number; from: number; to: number } & Parameters<typeof meterRows>[1];
}

function readEquity({ fills, meter, held }: EquityReader, from: number, to: number): void {
  for (let i = from; i < to; i++) {
    held.from = held.to;
    held.to = fills.rows[i] ?? 0;
    meterRows(meter, held);
    held.cash = (fills.cash[i] ?? 0) / UNITS;
    held.quantity = (fills.position[i] ?? 0) / UNITS;
  }
}

/** Stops that sold inside a candle whose price then fell below their limit. */
function overrunOf(fills: RecordedFills, kernel: KernelInput): Traded['overrun'] {
  const { rules, terms, detail, end } = kernel;
  const { low, close, open } = detail.columns;
  const tick = toNumber(rules.price.tick);
  const overrun = { stops: 0, loss: 0 };
  for (let i = 0; i < fills.count; i++) {
    const limit = fills.limits[i] ?? 0;
    if (limit === 0) continue;
    const row = fills.rows[i] ?? 0;
    const ticks = (prices: Float64Array, at: number): number => Math.round((prices[at] ?? 0) / tick);
    const candle = { low: ticks(low, row), close: ticks(close, row) };
    if (candle.low >= limit) continue;
    const next = row + 1 < end ? ticks(open, row + 1) : candle.close;
    overrun.stops += 1;
    overrun.loss += overrunLoss(exactFill(fills, i, kernel), limit, { rules, terms, ...candle, next });
  }
  return overrun;
}
