import { type Decimal, divide, readDecimal, toNumber, toSteps } from '#core/amount/decimal.ts';
import type { TickView } from '#core/judge/view.ts';
import type { Grid } from './strategy.ts';

/** Rounds to the price grid. A whole number of ticks with float error stays on its tick. */
export const snapDown = (ticks: number): number => Math.floor(ticks + 1e-6);
export const snapUp = (ticks: number): number => Math.ceil(ticks - 1e-6);

/** A price on the grid as whole ticks. */
export const toTicks = (price: Decimal, tick: Decimal): number => Math.round(toSteps(price, tick));

type Fees = Pick<TickView, 'takerFee'> & Partial<Pick<TickView, 'makerFee'>>;

/** Multiple of the average entry price at which a market sale pays both fees; `maker`: the buy paid the maker fee. */
export const breakEvenOf = ({ takerFee, makerFee = takerFee }: Fees, maker = false): number =>
  1 / ((1 - (maker ? makerFee : takerFee)) * (1 - takerFee));

/** Size of a saved tick in current ticks; undefined when the saved size is unreadable. */
export function tickScale(savedTick: string, grid: Grid): number | undefined {
  const saved = readDecimal(savedTick);
  return saved === undefined || saved <= 0n ? undefined : toNumber(divide(saved, grid.tick));
}
