import type { Candle } from '#core/candle.ts';
import type { Decision, Numbers } from '#core/decision.ts';
import {
  add,
  type Decimal,
  floorToStep,
  multiply,
  requireDecimal,
  subtract,
  toNumber,
  toSteps,
  ZERO,
} from '#core/decimal.ts';
import type { ExchangeFill } from '#core/fill.ts';
import { foldLevel, type LevelFill, remainingOf, targetOf } from '#core/levels.ts';
import { FLAT, foldFill, isSellable, type Position } from '#core/position.ts';
import { sizeEntry } from '#core/sizing.ts';
import type { SymbolRules } from '#core/symbol.ts';
import { type AnyStrategy, gridOf, type StrategyInstance, type TickView } from '#strategies/strategy.ts';

const HOUR_MS = 3_600_000;
const FEE = requireDecimal('0.001');
/** Below every level of the examples, as half of their plans is more. */
const LEAST = requireDecimal('7');

/** The market of every golden example: tick 0.01, step 0.001, minimum order value 5, no slippage. */
export const GOLDEN_RULES: SymbolRules = {
  symbol: 'AAAUSDT',
  status: 'TRADING',
  baseAsset: 'AAA',
  quoteAsset: 'USDT',
  orderTypes: ['LIMIT', 'MARKET'],
  price: { tick: requireDecimal('0.01'), min: ZERO, max: ZERO },
  lot: { step: requireDecimal('0.001'), min: requireDecimal('0.001'), max: ZERO },
  marketLot: { step: ZERO, min: ZERO, max: ZERO },
  notional: { min: requireDecimal('5'), max: ZERO, minAppliesToMarket: true },
  band: null,
};

/** What one candle of a golden example led to, at its close. */
export interface GoldenRow {
  readonly fill: ExchangeFill | null;
  readonly realised: Decimal | null;
  readonly decision: Decision;
  readonly numbers: Numbers;
  readonly quantity: Decimal | null;
  readonly position: Position;
  readonly cash: Decimal;
  readonly instance: StrategyInstance;
}

interface Run {
  position: Position;
  cash: Decimal;
  order: { side: 'buy' | 'sell'; quantity: Decimal; entry?: { level: number; plannedQuote: Decimal } } | null;
  trades: number;
  levels: readonly LevelFill[];
}

/** Reads `open/high/low/close` texts as hourly candles. */
const readCandles = (rows: readonly string[]): { candle: Candle; open: Decimal; close: Decimal }[] =>
  rows.map((row, i) => {
    const [open, high, low, close] = row.split('/').map(requireDecimal);
    if (open === undefined || high === undefined || low === undefined || close === undefined) throw new Error(row);
    const times = { openMs: i * HOUR_MS, closeMs: (i + 1) * HOUR_MS, volume: 1, closed: true };
    const prices = { open: toNumber(open), high: toNumber(high), low: toNumber(low), close: toNumber(close) };
    return { candle: { ...times, ...prices }, open, close };
  });

/** Fills the waiting market order at a candle's open: the fee of a buy is taken in base, that of a sell in quote. */
function fillAtOpen(run: Run, { price, at, cooldownMs }: { price: Decimal; at: Date; cooldownMs: number }) {
  if (run.order === null) return { fill: null, realised: null };
  const { side, quantity, entry } = run.order;
  const quoteQuantity = multiply(quantity, price);
  const feeAmount = side === 'buy' ? multiply(quantity, FEE) : multiply(quoteQuantity, FEE);
  const ids = { symbol: GOLDEN_RULES.symbol, tradeId: String(++run.trades), exchangeOrderId: String(run.trades) };
  const feeAsset = side === 'buy' ? 'AAA' : 'USDT';
  const fill = { ...ids, side, price, quantity, quoteQuantity, feeAmount, feeAsset, maker: false, at };
  const folded = foldFill(run.position, fill, { rules: GOLDEN_RULES, cooldownMs });
  run.position = folded.position;
  if (folded.position.firstBuyAt === null) run.levels = [];
  if (entry !== undefined) run.levels = foldLevel(run.levels, { ...entry, quoteQuantity });
  run.cash = side === 'buy' ? subtract(run.cash, quoteQuantity) : add(run.cash, subtract(quoteQuantity, feeAmount));
  run.order = null;
  return { fill, realised: side === 'sell' ? folded.realised : null };
}

function viewOf({ position, order, levels }: Run, price: Decimal, nowMs: number): TickView {
  const sellable = isSellable(position.quantity, price, GOLDEN_RULES);
  return {
    nowMs,
    price: toSteps(price, GOLDEN_RULES.price.tick),
    priceAgeMs: 0,
    lots: Math.floor(toSteps(position.quantity, GOLDEN_RULES.lot.step)),
    peakLots: Math.floor(toSteps(position.peakQuantity, GOLDEN_RULES.lot.step)),
    avgTicks: toSteps(position.averagePrice, GOLDEN_RULES.price.tick),
    sellable,
    firstBuyFillMs: position.firstBuyAt?.getTime() ?? 0,
    cycle: position.cycle,
    target: targetOf(levels, LEAST),
    entryOrderOpen: order?.side === 'buy',
    waiting: null,
    exitOrderOpen: order?.side === 'sell',
    regime: 2,
    ratingSells: false,
    takerFee: 0.001,
    makerFee: 0.001,
    readable: true,
  };
}

/** Candles in, decisions out: decides at every close, fills market orders at the next open. */
export function runGolden(input: { strategy: AnyStrategy; config: unknown; candles: readonly string[] }): GoldenRow[] {
  const bound = input.strategy.bind(input.strategy.config.parse(input.config));
  const { step } = GOLDEN_RULES.lot;
  const instance = bound.create(gridOf(GOLDEN_RULES));
  const run: Run = { position: FLAT, cash: requireDecimal('1000'), order: null, trades: 0, levels: [] };
  const { entryBudget, stopMultiple, stopLimitOffset, lossCooldownMs, levels } = bound.shared;
  return readCandles(input.candles).map(({ candle, open, close }) => {
    const filled = fillAtOpen(run, { price: open, at: new Date(candle.openMs), cooldownMs: lossCooldownMs });
    if (filled.fill !== null) instance.onFill(filled.fill.side, viewOf(run, open, candle.openMs));
    const view = viewOf(run, close, candle.closeMs);
    instance.onCandle(candle, view);
    const decision = instance.decide(view);
    let paused = false;
    if (decision.kind === 'sell') run.order = { side: 'sell', quantity: floorToStep(run.position.quantity, step) };
    if (decision.kind === 'buy') {
      if (run.position.cooldownUntil !== null && run.position.cooldownUntil.getTime() > candle.closeMs) paused = true;
      const spend = levels?.[decision.level]?.spend ?? entryBudget;
      const { plannedQuote, remaining } = remainingOf(run.levels, decision.level, spend);
      const sizing = {
        price: close,
        budget: remaining,
        held: run.position.quantity,
        freeQuote: run.cash,
        rules: GOLDEN_RULES,
      };
      const sized = sizeEntry({ ...sizing, stopMultiple, stopLimitOffset, baseFeeRate: 0.001 });
      if (sized.kind === 'sized' && !paused)
        run.order = { side: 'buy', quantity: sized.quantity, entry: { level: decision.level, plannedQuote } };
    }
    const numbers = instance.explain(decision, view);
    const quantity = run.order?.quantity ?? null;
    return { ...filled, decision, numbers, quantity, position: run.position, cash: run.cash, instance };
  });
}
