/** Time limits of an order in flight, in ms of protocol time. Most follow from the documented limits of the exchange. */
export interface OrderTiming {
  /** Maximum time from the decision to the signature of a buy. */
  readonly sendWithinMs: number;
  /** Maximum time for sales and stops: a slow database must not leave a position without them. */
  readonly exitWithinMs: number;
  /** recvWindow of every signed request. The exchange refuses an older request. */
  readonly receiveWindowMs: number;
  /** Maximum processing time of the exchange's engine. */
  readonly engineTimeoutMs: number;
  /** Maximum difference between the clocks. */
  readonly clockMarginMs: number;
  /** Minimum time between the two answers that prove an absence. */
  readonly separateMs: number;
  /** Maximum pause between two queries of an order with an unknown outcome. */
  readonly lookEveryMs: number;
  /** Timeout of a signed request. */
  readonly patienceMs: number;
}

/** Engine timeout: the exchange's documented 10 s (error -1007). */
export const ORDER_TIMING: OrderTiming = {
  sendWithinMs: 2_000,
  exitWithinMs: 6_000,
  receiveWindowMs: 5_000,
  engineTimeoutMs: 10_000,
  clockMarginMs: 1_000,
  separateMs: 1_000,
  lookEveryMs: 1_000,
  patienceMs: 10_000,
};

/** Protocol time after which a request signed by `sendBeforeMs` can no longer become an order. */
export const certainFrom = (sendBeforeMs: number, timing: OrderTiming): number =>
  sendBeforeMs + timing.receiveWindowMs + timing.engineTimeoutMs + timing.clockMarginMs;
