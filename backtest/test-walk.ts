import { requireDecimal, ZERO } from '#core/amount/decimal.ts';
import type { SymbolRules } from '#core/market/symbol.ts';
import type { Series } from './columns.ts';

const d = requireDecimal;
const MINUTE_MS = 60_000;
const START = Date.UTC(2024, 0, 1, 22, 7);

/** A market with a tick and a step. */
export const rulesOf = (tick: string, step: string): SymbolRules => ({
  symbol: 'AAAUSDT',
  status: 'TRADING',
  baseAsset: 'AAA',
  quoteAsset: 'USDT',
  orderTypes: ['MARKET', 'STOP_LOSS_LIMIT'],
  price: { tick: d(tick), min: d(tick), max: d('100000') },
  lot: { step: d(step), min: d(step), max: d('900000000') },
  marketLot: { step: ZERO, min: ZERO, max: d('90000000') },
  notional: { min: d('5'), max: d('9000000'), minAppliesToMarket: true },
  band: { bidUp: d('5'), bidDown: d('0.2'), askUp: d('5'), askDown: d('0.2') },
});

/** A random walk of one-minute candles on the grid. Sometimes minutes are missing and the price jumps. */
export function walk(
  seed: number,
  rows: number,
  { tick, price, gaps }: { tick: number; price: number; gaps: boolean },
): Series {
  let state = seed;
  const random = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const column = (): Float64Array => new Float64Array(rows);
  const columns = {
    openMs: column(),
    open: column(),
    high: column(),
    low: column(),
    close: column(),
    volume: column(),
  };
  let [minute, close] = [0, Math.round(price / tick)];
  for (let row = 0; row < rows; row++) {
    const hole = gaps && random() < 0.01;
    minute += hole ? 1 + Math.floor(random() * 180) : 1;
    const open = hole ? Math.round(close * (1 + (random() - 0.5) * 0.02)) : close;
    close = Math.max(10, Math.round(open * (1 + (random() - 0.5) * 0.01)));
    columns.openMs[row] = START + minute * MINUTE_MS;
    columns.open[row] = open * tick;
    columns.high[row] = (Math.max(open, close) + Math.floor(random() * open * 0.002)) * tick;
    columns.low[row] = (Math.min(open, close) - Math.floor(random() * open * 0.002)) * tick;
    columns.close[row] = close * tick;
  }
  return { interval: '1m', columns };
}
