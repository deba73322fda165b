/** How long an order may be on its way, in ms of protocol time; what the exchange keeps to decides most of them. */
export interface OrderTiming {
  /** How long after its decision a buy may still be signed. */
  readonly sendWithinMs: number;
  /** The same for sales and stops: a slow database must not leave a position without them. */
  readonly exitWithinMs: number;
  /** recvWindow of every signed request: the exchange refuses a request that is older. */
  readonly receiveWindowMs: number;
  /** How long the exchange's engine may work on a request that it has received. */
  readonly engineTimeoutMs: number;
  /** What the clocks of both sides may differ by. */
  readonly clockMarginMs: number;
  /** Least time between the two answers that prove an absence. */
  readonly separateMs: number;
  /** Longest pause between two looks at an order whose outcome is open. */
  readonly lookEveryMs: number;
  /** How long the client waits for the answer to a signed request. */
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

/** Protocol time after which no request signed until `sendBeforeMs` can become an order any more. */
export const certainFrom = (sendBeforeMs: number, timing: OrderTiming): number =>
  sendBeforeMs + timing.receiveWindowMs + timing.engineTimeoutMs + timing.clockMarginMs;
