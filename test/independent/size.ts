import {
  ceilTo,
  floorTo,
  type Fraction,
  fraction,
  isBelow,
  least,
  minus,
  most,
  NONE,
  ONE,
  over,
  parse,
  plus,
  times,
} from './fraction.ts';
import { type Market, priceOf } from './market.ts';
import type { Position } from './position.ts';
import type { Settings } from './settings.ts';

const MARGIN = parse('1.05');
const BUFFERED = parse('1.002');
const WITHOUT_STOP = parse('0.90');

/** Largest amount of one level; 0 where it names none. */
interface LevelSettings {
  readonly spend: Fraction;
  readonly atLeast: Fraction;
}

/** The settings that size a buy. */
export interface SizeSettings {
  readonly mode: string;
  readonly amount: Fraction;
  readonly percent: Fraction;
  readonly symbolCap: Fraction;
  readonly lossCap: Fraction;
  readonly stopOffset: Fraction;
  readonly levels: readonly LevelSettings[];
}

export const sizeSettings = (
  settings: Settings,
  prefix: string,
  { levels, stopPath }: { readonly levels: readonly LevelSettings[]; readonly stopPath: string },
): SizeSettings => ({
  mode: settings.text(`${prefix}entrySizing.mode`, 'fixed'),
  amount: settings.amount(`${prefix}entrySizing.amount`, '15'),
  percent: settings.amount(`${prefix}entrySizing.percent`, '0.05'),
  symbolCap: settings.amount(`${prefix}maxSymbolExposureQuote`, ''),
  lossCap: settings.amount(`${prefix}maxPositionLossQuote`, ''),
  stopOffset: settings.amount(`${stopPath}protectiveStop.limitOffsetPercentage`, '0.995'),
  levels,
});

export interface SizeInput {
  readonly settings: SizeSettings;
  readonly market: Market;
  readonly taker: Fraction;
  /** The share of a buy that is taken from the bought coin. */
  readonly baseFee: Fraction;
  readonly position: Position;
  /** Share of the price at which the stop lies; 0 without one. */
  readonly stop: Fraction;
}

const floorTick = (x: Fraction, { tick }: Market): Fraction => floorTo(x, tick);

function stopLimit(p: Fraction, { settings, market, stop }: SizeInput): Fraction {
  if (stop.n === 0n) return floorTick(times(p, WITHOUT_STOP), market);
  return floorTick(times(floorTick(times(p, stop), market), settings.stopOffset), market);
}

/** The smallest spend that leaves something to sell at the stop limit. */
function smallestOrder(p: Fraction, input: SizeInput): Fraction {
  const { market, baseFee } = input;
  const needed = ceilTo(over(times(market.minNotional, MARGIN), stopLimit(p, input)), market.step);
  const gross = ceilTo(over(most(needed, market.minQuantity), minus(ONE, baseFee)), market.step);
  return times(times(gross, p), BUFFERED);
}

/** The level whose turn it is. */
export function targetOf(input: SizeInput): number {
  const { position } = input;
  if (position.firstBuyMs === null) return 0;
  const smallest = smallestOrder(position.average, input);
  let target = 0;
  for (const [level, { planned, filled }] of position.levels) {
    const half = over(planned, fraction(2n));
    if (!isBelow(filled, most(smallest, half))) target = Math.max(target, level + 1);
  }
  return target;
}

interface Wanted {
  readonly level: number;
  /** The price of the decision, in ticks. */
  readonly price: bigint;
  /** Limit of a buy that waits. */
  readonly limit: bigint | null;
}

/** Quantity of a buy and the budget of its level; undefined when nothing is bought. */
export function sizeOf(
  { level, price, limit }: Wanted,
  input: SizeInput,
): { readonly quantity: Fraction; readonly planned: Fraction } | undefined {
  const { settings, market, taker, position } = input;
  const p = priceOf(limit ?? price, market);
  const kept = minus(ONE, taker);
  const loss = input.stop.n === 0n ? ONE : minus(ONE, over(times(times(kept, kept), stopLimit(p, input)), p));
  const equity = plus(position.cash, times(position.quantity, priceOf(price, market)));
  const known = position.levels.get(level);
  const planned = known?.planned ?? budgetOf(settings, level, { loss, equity });
  let budget = most(minus(planned, known?.filled ?? NONE), NONE);

  const used = times(position.quantity, position.average);
  const rooms: Fraction[] = [];
  if (settings.symbolCap.n > 0n) rooms.push(most(minus(settings.symbolCap, used), NONE));
  if (settings.lossCap.n > 0n && loss.n > 0n) rooms.push(most(minus(over(settings.lossCap, loss), used), NONE));
  const smallest = smallestOrder(p, input);
  if (rooms.length > 0) {
    const room = rooms.reduce(least);
    if (isBelow(room, budget) && isBelow(room, smallest)) return undefined;
    budget = least(budget, room);
  }
  const spend = least(budget, position.cash);
  if (spend.n <= 0n || (isBelow(position.cash, budget) && isBelow(spend, smallest))) return undefined;
  const quantity = floorTo(over(spend, limit === null ? times(p, BUFFERED) : p), market.step);
  if (isBelow(spend, settings.levels[level]?.atLeast ?? NONE)) return undefined;
  if (quantity.n <= 0n || isBelow(quantity, market.minQuantity)) return undefined;
  if (isBelow(times(quantity, p), market.minNotional)) return undefined;
  const net = floorTo(times(quantity, minus(ONE, input.baseFee)), market.step);
  if (isBelow(net, market.minQuantity)) return undefined;
  const all = floorTo(plus(net, position.quantity), market.step);
  if (isBelow(times(all, stopLimit(p, input)), times(market.minNotional, MARGIN))) return undefined;
  return { quantity, planned };
}

function budgetOf(
  { mode, amount, percent, levels }: SizeSettings,
  level: number,
  { loss, equity }: { readonly loss: Fraction; readonly equity: Fraction },
): Fraction {
  const named = levels[level]?.spend ?? NONE;
  if (named.n > 0n) return named;
  const share = times(percent, equity);
  const atRisk = least(loss.n > 0n ? over(share, loss) : share, over(equity, fraction(2n)));
  const round = mode === 'fixed' ? amount : mode === 'percent-of-equity' ? share : atRisk;
  return over(round, fraction(BigInt(levels.length)));
}
