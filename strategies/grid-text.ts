import { type Decimal, formatDecimal, formatFixed, fromNumber, fromSteps, multiply } from '#core/amount/decimal.ts';
import type { Grid } from './strategy.ts';

/** Number of decimals of the multiples of a tick or step. */
function placesOf(step: Decimal): number {
  const text = formatDecimal(step);
  const point = text.indexOf('.');
  return point < 0 ? 0 : text.length - point - 1;
}

/** A level in ticks as price text with the tick's decimals; null for a level that is off (0 or NaN). */
export function priceText(ticks: number, grid: Grid): string | null {
  if (!(ticks > 0)) return null;
  const { places, units } = readTick(grid.tick);
  const count = Math.round(ticks) * units;
  if (!Number.isSafeInteger(count)) return formatFixed(fromSteps(Math.round(ticks), grid.tick), places);
  const digits = String(count).padStart(places + 1, '0');
  return places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

interface Tick {
  readonly places: number;
  /** The tick in units of its last decimal. */
  readonly units: number;
}
const TICKS = new Map<Decimal, Tick>();

/** Cached, because every decision formats prices. */
function readTick(tick: Decimal): Tick {
  const known = TICKS.get(tick);
  if (known !== undefined) return known;
  const places = placesOf(tick);
  const read = { places, units: Number(formatFixed(tick, places).replace('.', '')) };
  TICKS.set(tick, read);
  return read;
}

/** Whole lots as a quantity in base units. */
export const quantityText = (lots: number, grid: Grid): string => formatDecimal(fromSteps(Math.round(lots), grid.step));

/** A share such as 0.0458 as `4.58 %`, without sign. The sentence says above or below. */
export const percentText = (share: number): string => `${(Math.abs(share) * 100).toFixed(2)} %`;

/** How far `level` is from `price`, in percent of the price; null when there is no level. */
export const awayText = (level: number, price: number): string | null =>
  level > 0 && price > 0 ? percentText((level - price) / price) : null;

/** Estimated P&L in quote of selling `lots` at `price`, against the average entry price, after the fee. */
export function profitText(sale: { lots: number; price: number; avgTicks: number; fee: number }, grid: Grid): string {
  const perLot = fromNumber(sale.price * (1 - sale.fee) - sale.avgTicks);
  const profit = multiply(multiply(perLot, grid.tick), fromSteps(sale.lots, grid.step));
  return formatFixed(profit, Math.max(2, placesOf(grid.tick)));
}
