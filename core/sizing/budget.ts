import {
  type Decimal,
  divide,
  fromNumber,
  maximum,
  minimum,
  multiply,
  ONE,
  requireDecimal,
  subtract,
  ZERO,
} from '#core/amount/decimal.ts';
import { type SizingInput, stopLimitOf } from './sizing.ts';

/** Maximum share of the equity for one cycle, however close the stop. */
const RISK_EQUITY_CAP = requireDecimal('0.5');

/** Rule for the budget of one cycle as a share of the account's equity. */
export interface EquityShare {
  readonly mode: 'percent-of-equity' | 'risk-at-stop';
  /** Share of the equity to spend, or to lose at the stop. */
  readonly percent: Decimal;
}

/** Maximum quote in one coin; null for no limit. */
export interface PositionCaps {
  readonly symbolExposure: Decimal | null;
  readonly positionLoss: Decimal | null;
}

type Stop = Pick<SizingInput, 'price' | 'rules' | 'stopMultiple' | 'stopLimitOffset'>;

/** Share of a buy at `price` that is lost when its stop sells at its limit, both fees included; 1 without a stop. */
export function lossFraction(stop: Stop, takerFee: number): Decimal {
  if (stop.stopMultiple === null) return ONE;
  const kept = subtract(ONE, fromNumber(takerFee));
  return subtract(ONE, divide(multiply(multiply(kept, kept), stopLimitOf(stop)), stop.price));
}

/** The budget of one cycle (design: strategies-exact 1.5), in quote. A gap below the stop limit can lose more. */
export function equityBudget({ mode, percent }: EquityShare, equity: Decimal, loss: Decimal): Decimal {
  const share = multiply(percent, equity);
  if (mode === 'percent-of-equity') return share;
  return minimum(loss > 0n ? divide(share, loss) : share, multiply(RISK_EQUITY_CAP, equity));
}

/** Room of a cap for another buy: the cap less its usage. */
export interface CapRoom {
  readonly reason: 'cap-symbol-exposure' | 'cap-position-loss' | 'cap-account-exposure' | 'cap-profile-exposure';
  readonly cap: Decimal;
  readonly used: Decimal;
  readonly room: Decimal;
}

/** The rooms of a coin, its profile and its account, smallest first; empty without caps. */
export function capRooms(
  { symbolExposure, positionLoss }: PositionCaps,
  { used, loss, wider = [] }: { readonly used: Decimal; readonly loss: Decimal; readonly wider?: readonly CapRoom[] },
): CapRoom[] {
  const rooms = [...wider];
  const left = (most: Decimal): Decimal => maximum(subtract(most, used), ZERO);
  if (symbolExposure !== null)
    rooms.push({ reason: 'cap-symbol-exposure', cap: symbolExposure, used, room: left(symbolExposure) });
  if (positionLoss !== null && loss > 0n)
    rooms.push({ reason: 'cap-position-loss', cap: positionLoss, used, room: left(divide(positionLoss, loss)) });
  return rooms.toSorted((one, other) => (one.room < other.room ? -1 : Number(one.room > other.room)));
}
