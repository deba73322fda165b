import { type Decimal, divide, readDecimal, toNumber, toSteps } from '#core/amount/decimal.ts';
import type { Grid, TickView } from './strategy.ts';

/** Rounds onto the price grid; a level that is a whole number of ticks but for float error stays itself. */
export const snapDown = (ticks: number): number => Math.floor(ticks + 1e-6);
export const snapUp = (ticks: number): number => Math.ceil(ticks - 1e-6);

/** A price on the grid as whole ticks. */
export const toTicks = (price: Decimal, tick: Decimal): number => Math.round(toSteps(price, tick));

type Fees = Pick<TickView, 'takerFee'> & Partial<Pick<TickView, 'makerFee'>>;

/** The multiple of the average entry price at which a market sale pays the fees of both ways; `maker`: the buy waited. */
export const breakEvenOf = ({ takerFee, makerFee = takerFee }: Fees, maker = false): number =>
  1 / ((1 - (maker ? makerFee : takerFee)) * (1 - takerFee));

/** How many of the present ticks one tick of the saved size is; undefined when the saved size is unreadable. */
export function tickScale(savedTick: string, grid: Grid): number | undefined {
  const saved = readDecimal(savedTick);
  return saved === undefined || saved <= 0n ? undefined : toNumber(divide(saved, grid.tick));
}
