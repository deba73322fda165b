import {
  add,
  type Decimal,
  divide,
  fromSteps,
  maximum,
  multiply,
  requireDecimal,
  subtract,
  toNumber,
  ZERO,
} from '#core/amount/decimal.ts';
import { INTERVAL_MS } from '#core/market/candle.ts';
import { type ExchangeFill, feeValueOf } from '#core/order/fill.ts';
import { FLAT, foldFill } from '#core/position/position.ts';
import type { FillRecord } from '#core/research/backtest-result.ts';
import type { SymbolRules } from '#core/market/symbol.ts';
import type { RecordedFills, RecordedRun } from '#strategies/sweep.ts';
import { type EquityMeter, meterRows, openMeter } from './equity.ts';
import { emptyColumns, indexIn } from './fill-columns.ts';
import { overrunLoss } from './market.ts';
import { closeGrid, type CloseGrid, offGridIn } from './price-grid.ts';
import { fillRecord } from './records.ts';
import type { KernelInput } from './run-state.ts';
import { cyclesOf, type ExactCycle, type Traded } from './traded.ts';

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
  const { cycles, openPosition, peakCapital } = cyclesIn(run, kernel);
  const overrun = overrunOf(run.fills, kernel);
  const grid = closeGrid(detail.columns, toNumber(rules.price.tick));
  return {
    ...{ decisions, heldCandles, warmUp, skipped, openPosition, peakCapital },
    traded: {
      ...{ fills, rejections: [], doubtful: overrun.stops, overrun },
      ...cyclesOf(cycles),
      fillRecords: () => recordsOf(run, kernel),
    },
    meter: meterOf(run.fills, kernel, grid),
    offGrid: offGridIn(grid, start, end),
  };
}

/**
 * The cycles of a coin that buys once and then sells all that it can. Costs and nets are those of foldFill
 * (core/position/position.ts), without a position object for each fill.
 */
function cyclesIn({ fills, reasons }: RecordedRun, { rules }: KernelInput) {
  const cycles: ExactCycle[] = [];
  const valueOf = valuing(rules);
  let peakCapital: Decimal = ZERO;
  // The rest below a lot that the cycle before left: its quantity in 1e-8, and its cost.
  let [dust, restCost]: [number, Decimal] = [0, ZERO];
  let averagePrice: Decimal = ZERO;
  for (let buy = 0; buy < fills.count; buy += 2) {
    const sell = buy + 1;
    const [held, paid] = [fills.position[buy] ?? 0, fills.quote[buy] ?? 0];
    const bought = valueOf(held - dust, fills.ticks[buy] ?? 0);
    averagePrice = divide(add(restCost, bought), fromSteps(held, UNIT));
    peakCapital = maximum(peakCapital, add(restCost, fromSteps(paid, UNIT)));
    if (sell === fills.count) break;
    dust = fills.position[sell] ?? 0;
    const costBefore = restCost;
    restCost = multiply(fromSteps(dust, UNIT), averagePrice);
    const gained = fromSteps((fills.quote[sell] ?? 0) - (fills.fee[sell] ?? 0) - paid, UNIT);
    const exactNet = add(gained, subtract(restCost, costBefore));
    cycles.push({
      number: cycles.length + 1,
      openedMs: fills.atMs[buy] ?? 0,
      closedMs: fills.atMs[sell] ?? 0,
      net: toNumber(exactNet),
      exactNet,
      exitReason: reasons[fills.reason[sell] ?? 0] ?? '',
    });
  }
  const open = fills.count % 2 === 1;
  const quantity = fromSteps(fills.position[fills.count - 1] ?? 0, UNIT);
  return { cycles, peakCapital, openPosition: open ? { quantity, averagePrice } : null };
}

/** Gives the value in quote of a quantity in 1e-8 at a price in ticks. */
function valuing({ price: { tick } }: SymbolRules): (quantity: number, ticks: number) => Decimal {
  const ofOne = multiply(tick, UNIT);
  const whole = tick % UNITS_IN_ONE === 0n;
  return (quantity, ticks) =>
    whole && isExact(quantity * ticks)
      ? fromSteps(quantity * ticks, ofOne)
      : multiply(fromSteps(ticks, tick), fromSteps(quantity, UNIT));
}

/** The exact texts of the fills, folded as the book of the kernel does. */
function recordsOf({ fills, reasons }: RecordedRun, kernel: KernelInput): FillRecord[] {
  const { rules, bound } = kernel;
  const context = { rules, cooldownMs: bound.shared.lossCooldownMs, feeQuote: ZERO };
  const records: FillRecord[] = [];
  let position = FLAT;
  for (let i = 0; i < fills.count; i++) {
    const fill = exactFill(fills, i, kernel);
    const folded = foldFill(position, fill, context);
    ({ position } = folded);
    const { cycle, quantity } = position;
    const [reason, cash] = [reasons[fills.reason[i] ?? 0] ?? '', fromSteps(fills.cash[i] ?? 0, UNIT)];
    const { realised } = folded;
    records.push(fillRecord({ fill, reason, cycle, realised, feeQuote: ZERO, cash, position: quantity }));
  }
  return records;
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
  const { tick } = rules.price;
  const [tickUnits, lotUnits] = [unitsOf(tick), unitsOf(rules.lot.step)];
  for (let i = 0; i < fills.count; i++) {
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
  return { ...columns, reasons, coins: [] };
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
  const held = {
    openMs,
    lengthMs: INTERVAL_MS[detail.interval],
    closes,
    cash: meter.last,
    quantity: 0,
    from: start,
    to: start,
  };
  for (let i = 0; i <= fills.count; i++) {
    held.from = held.to;
    held.to = i < fills.count ? (fills.rows[i] ?? 0) : end;
    meterRows(meter, held);
    held.cash = (fills.cash[i] ?? 0) / UNITS;
    held.quantity = (fills.position[i] ?? 0) / UNITS;
  }
  return meter;
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
