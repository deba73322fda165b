import type { Decimal } from '#core/amount/decimal.ts';
import type { OrderRecord } from '#core/order/order.ts';

/** An own order that may still rest or arrive, with its filled quantity applied so far. */
export interface LiveOrder {
  record: OrderRecord;
  applied: Decimal;
  /** Filled quantity that the exchange last reported; larger than `applied` while executions are missing. */
  reported: Decimal;
  /** A fee was recorded whose value is not known. */
  unvaluedFee: boolean;
  /** Protocol time until which a sent cancel may still take effect; null when none can. */
  cancelUntilMs: number | null;
  /**
   * Protocol time from which "does not exist" proves that the order never arrived; set while the outcome is unknown.
   */
  certainAtMs: number | null;
}
