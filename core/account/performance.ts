import { add, type Decimal, divide, ONE, requireDecimal, subtract, toNumber, ZERO } from '#core/amount/decimal.ts';
import { type Position, unrealisedOf } from '#core/position/position.ts';

/* The definitions of the Performance page, in words in docs/operator/performance.md. Money in quote. */

/** Fewer closed trades say nothing about a ratio. */
export const LEAST_TRADES = 30;

/** A coin of a profile at one moment: what is held, and the sums over its fills until then. */
export interface Holding extends Pick<Position, 'quantity' | 'cost'> {
  /** Net of all fees. */
  readonly realised: Decimal;
  readonly fees: Decimal;
  /** Fees in a third asset whose value is not known; `fees` leaves them out. */
  readonly unvaluedFees: number;
}

export const NOTHING_HELD: Holding = { quantity: ZERO, cost: ZERO, realised: ZERO, fees: ZERO, unvaluedFees: 0 };

/** P&L until a moment. Without a price a holding counts at its cost, as if it had neither gained nor lost. */
export function profitOf(held: Holding, price: Decimal | undefined): { realised: Decimal; unrealised: Decimal } {
  return { realised: held.realised, unrealised: price === undefined ? ZERO : unrealisedOf(held, price) };
}

interface EquityInput {
  /** Equity of the account at the last moment. */
  readonly now: Decimal;
  /** P&L of the whole account until each moment, and deposits less withdrawals until then. */
  readonly profits: readonly Decimal[];
  readonly deposits: readonly Decimal[];
}

/** The equity at each moment: the equity now, less the P&L and the deposits since. */
export function equityAt({ now, profits, deposits }: EquityInput): Decimal[] {
  const sums = profits.map((profit, i) => add(profit, deposits[i] ?? ZERO));
  const last = sums.at(-1) ?? ZERO;
  return sums.map((sum) => subtract(now, subtract(last, sum)));
}

/** Return of each step from one moment to the next: its P&L / the equity at its start; 0 without equity. */
export const stepReturns = (profits: readonly Decimal[], equity: readonly Decimal[]): number[] =>
  profits.slice(1).map((profit, i) => {
    const start = equity[i] ?? ZERO;
    return start <= 0n ? 0 : toNumber(divide(subtract(profit, profits[i] ?? ZERO), start));
  });

/** Return of consecutive steps = (1 + r1) (1 + r2) … - 1: deposits and withdrawals between them do not count. */
export const compounded = (returns: readonly number[]): number =>
  returns.reduce((value, step) => value * (1 + step), 1) - 1;

/** Drawdown at each moment: the compounded return's loss since its highest value so far, 0 or less; 0 at the start. */
export function drawdowns(returns: readonly number[]): number[] {
  let [value, high] = [1, 1];
  const falls = returns.map((step) => {
    value *= 1 + step;
    high = Math.max(high, value);
    return value / high - 1;
  });
  return [0, ...falls];
}

type Prices = ReadonlyMap<string, Decimal>;

/** Mean price change of the coins that have a price at both moments, a share; null without one. */
export function meanPriceChange(first: Prices, now: Prices): Decimal | null {
  const changes = [...first].flatMap(([symbol, then]) => {
    const price = now.get(symbol);
    return price === undefined || then === 0n ? [] : [subtract(divide(price, then), ONE)];
  });
  return changes.length === 0 ? null : divide(changes.reduce(add, ZERO), requireDecimal(String(changes.length)));
}

/** Profit factor = gross profit / gross loss, null without a loss or with too few trades. */
export const profitFactorOf = (count: number, profit: Decimal, loss: Decimal): number | null =>
  count < LEAST_TRADES || loss === 0n ? null : -toNumber(divide(profit, loss));

/** Win rate = trades with a net above zero / closed trades; null with too few trades. */
export const winRateOf = (count: number, wins: number): number | null => (count < LEAST_TRADES ? null : wins / count);
