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

/** However close the stop, one round never spends more than this share of the equity. */
const RISK_EQUITY_CAP = requireDecimal('0.5');

/** How the budget of one round is found from the equity of the account. */
export interface EquityShare {
  readonly mode: 'percent-of-equity' | 'risk-at-stop';
  /** Share of the equity to spend, or to lose at the stop. */
  readonly percent: Decimal;
}

/** Most that one coin may take, in quote; null for no limit. */
export interface PositionCaps {
  readonly symbolExposure: Decimal | null;
  readonly positionLoss: Decimal | null;
}

type Stop = Pick<SizingInput, 'price' | 'rules' | 'stopMultiple' | 'stopLimitOffset'>;

/** The share of a buy at `price` that is lost when its stop is sold at its limit, fees of both ways included; 1 without a stop. */
export function lossFraction(stop: Stop, takerFee: number): Decimal {
  if (stop.stopMultiple === null) return ONE;
  const kept = subtract(ONE, fromNumber(takerFee));
  return subtract(ONE, divide(multiply(multiply(kept, kept), stopLimitOf(stop)), stop.price));
}

/** The budget of one round (design: strategies-exact 1.5), in quote. A gap below the stop limit can lose more. */
export function equityBudget({ mode, percent }: EquityShare, equity: Decimal, loss: Decimal): Decimal {
  const share = multiply(percent, equity);
  if (mode === 'percent-of-equity') return share;
  return minimum(loss > 0n ? divide(share, loss) : share, multiply(RISK_EQUITY_CAP, equity));
}

/** What a cap leaves for another buy, of what it allows and what is used of it. */
export interface CapRoom {
  readonly reason: 'cap-symbol-exposure' | 'cap-position-loss' | 'cap-account-exposure' | 'cap-profile-exposure';
  readonly cap: Decimal;
  readonly used: Decimal;
  readonly room: Decimal;
}

/** The rooms of a coin and those of its profile and account, tightest first; none when nothing is capped. */
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
