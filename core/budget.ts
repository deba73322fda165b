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
} from './decimal.ts';
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

export type CapReason = 'cap-symbol-exposure' | 'cap-position-loss';

/** What a cap leaves for another buy of the coin, tightest first; none when nothing is capped. */
export function capRooms(
  { symbolExposure, positionLoss }: PositionCaps,
  { used, loss }: { readonly used: Decimal; readonly loss: Decimal },
): { readonly reason: CapReason; readonly cap: Decimal; readonly room: Decimal }[] {
  const rooms: { reason: CapReason; cap: Decimal; room: Decimal }[] = [];
  const left = (most: Decimal): Decimal => maximum(subtract(most, used), ZERO);
  if (symbolExposure !== null)
    rooms.push({ reason: 'cap-symbol-exposure', cap: symbolExposure, room: left(symbolExposure) });
  if (positionLoss !== null && loss > 0n)
    rooms.push({ reason: 'cap-position-loss', cap: positionLoss, room: left(divide(positionLoss, loss)) });
  return rooms.toSorted((one, other) => (one.room < other.room ? -1 : Number(one.room > other.room)));
}
