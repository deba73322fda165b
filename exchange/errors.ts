/** Why a call to the exchange failed; a closed set, so that every caller can handle each reason. */
export type ErrorReason =
  | 'insufficient-balance'
  | 'duplicate-order'
  | 'order-absent'
  | 'order-archived'
  | 'cancel-refused'
  | 'market-closed'
  | 'would-trigger-now'
  | 'would-match-now'
  | 'no-liquidity'
  | 'filter'
  | 'order-type-unsupported'
  | 'account-restricted'
  | 'bad-symbol'
  | 'bad-parameter'
  | 'bad-signature'
  | 'bad-clock'
  | 'key-malformed'
  | 'key-refused'
  | 'too-many-orders'
  | 'rate-limited'
  | 'banned'
  | 'overloaded'
  | 'blocked'
  | 'gone'
  | 'status-unknown'
  | 'server-fault'
  | 'timeout'
  | 'network'
  | 'unreadable'
  | 'other';

/**
 * A failed call. `status` is the HTTP status (null when no reply came), `code` the exchange's own code (null when the
 * reply had none), `payload` the reply's body without credentials.
 */
export class ExchangeError extends Error {
  readonly reason: ErrorReason;
  readonly status: number | null;
  readonly code: number | null;
  readonly payload: unknown;

  constructor(message: string, details: Omit<ExchangeError, 'name' | 'message' | 'stack' | 'cause'>) {
    super(message);
    this.name = 'ExchangeError';
    this.reason = details.reason;
    this.status = details.status;
    this.code = details.code;
    this.payload = details.payload;
  }
}

const BY_CODE: Readonly<Record<number, ErrorReason>> = {
  [-1000]: 'status-unknown',
  [-1001]: 'status-unknown',
  [-1002]: 'key-refused',
  [-1003]: 'rate-limited',
  [-1006]: 'status-unknown',
  [-1007]: 'status-unknown',
  [-1008]: 'overloaded',
  [-1014]: 'order-type-unsupported',
  [-1015]: 'too-many-orders',
  [-1020]: 'order-type-unsupported',
  [-1021]: 'bad-clock',
  [-1022]: 'bad-signature',
  [-1112]: 'no-liquidity',
  [-1121]: 'bad-symbol',
  [-2011]: 'cancel-refused',
  [-2013]: 'order-absent',
  [-2014]: 'key-malformed',
  [-2015]: 'key-refused',
  [-2026]: 'order-archived',
};

/** The exchange returns -2010 (and -1013) for many causes: only the text distinguishes them. */
const BY_TEXT: readonly (readonly [RegExp, ErrorReason])[] = [
  [/filter failure/i, 'filter'],
  [/insufficient balance/i, 'insufficient-balance'],
  [/duplicate order/i, 'duplicate-order'],
  [/market is closed|trading phase|requires? GTC for this phase/i, 'market-closed'],
  [/would trigger immediately/i, 'would-trigger-now'],
  [/would immediately match/i, 'would-match-now'],
  [/liquidity is (less|too low)/i, 'no-liquidity'],
  [/this account|not permitted|restricted for|action is disabled|trading is not enabled/i, 'account-restricted'],
  [/not support|unsupported|not possible/i, 'order-type-unsupported'],
];

const TEXT_DECIDES = new Set([-1013, -2010]);

/** The reason of a failed reply; `code` is null when the body was not the exchange's error object. */
export function reasonOf(status: number, code: number | null, message: string): ErrorReason {
  if (status === 418) return 'banned';
  if (code !== null) return reasonOfCode(status, code, message);
  if (status === 429) return 'rate-limited';
  if (status === 410) return 'gone';
  if (status === 403) return 'blocked';
  return status >= 500 ? 'server-fault' : 'unreadable';
}

function reasonOfCode(status: number, code: number, message: string): ErrorReason {
  if (TEXT_DECIDES.has(code)) return BY_TEXT.find(([pattern]) => pattern.test(message))?.[1] ?? 'other';
  const known = BY_CODE[code];
  if (known !== undefined) return known;
  if (code <= -1100 && code > -1300) return 'bad-parameter';
  if (status === 429) return 'rate-limited';
  return status >= 500 ? 'server-fault' : 'other';
}

/** True when the exchange does not accept the API key for any call. */
export const isKeyRefusal = ({ status, reason }: Pick<ExchangeError, 'status' | 'reason'>): boolean =>
  status === 401 || reason === 'key-refused' || reason === 'key-malformed';

const OVERLOADED = -1008;
/** Codes that leave the outcome open with every HTTP status. */
const OPEN_OUTCOME = new Set([-1000, -1001, -1006, -1007]);

/**
 * True when the exchange certainly did not execute a write. False means that the outcome is unknown: the caller must
 * look the write up before the next decision.
 */
export function isDefinitiveRejection(error: Pick<ExchangeError, 'status' | 'code'>): boolean {
  const { status, code } = error;
  if (status === null || code === null) return false;
  if (status === 503 && code === OVERLOADED) return true;
  return status >= 400 && status < 500 && status !== 408 && !OPEN_OUTCOME.has(code);
}

/** Characters kept of a body that is not the exchange's error object. */
export const SHOWN_CHARACTERS = 2_000;

/** The error for an unreadable reply; for a write the outcome is unknown. */
export const unreadable = (message: string, status: number | null, payload: unknown): ExchangeError =>
  new ExchangeError(message, {
    reason: 'unreadable',
    status,
    code: null,
    payload: typeof payload === 'string' ? payload.slice(0, SHOWN_CHARACTERS) : payload,
  });
