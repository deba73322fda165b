import type { Decimal } from '#core/amount/decimal.ts';
import type { OrderRecord } from '#core/order/order.ts';

/** An own order that may still rest or arrive, with the quantity of its fills applied so far. */
export interface LiveOrder {
  record: OrderRecord;
  applied: Decimal;
  /** What the exchange has last said it filled; more than is applied while executions are missing. */
  reported: Decimal;
  /** A fee was booked whose worth is not known. */
  unvaluedFee: boolean;
  /** Protocol time until which a cancel that was sent may still take effect; null when none can. */
  cancelUntilMs: number | null;
  /** Protocol time from which "does not exist" proves that it never arrived; set while the outcome is unknown. */
  certainAtMs: number | null;
}
