/** The reason for a refused request, with the exchange's own code and message. */
export interface Refusal {
  readonly kind: 'refused';
  readonly status: number;
  readonly code: number;
  readonly message: string;
  /** The partial result, for a refusal after a part of the request succeeded. */
  readonly data?: unknown;
}

/** The refusal as clients read it. */
export const refusalBody = ({ code, message, data }: Refusal): Record<string, unknown> => ({
  code,
  msg: message,
  ...(data === undefined ? {} : { data }),
});

export const refuse = (code: number, message: string, status = 400): Refusal => ({
  kind: 'refused',
  status,
  code,
  message,
});

/** Carries a refusal from nested parsing to the one place that answers requests. */
export class RefusedError extends Error {
  readonly refusal: Refusal;
  constructor(refusal: Refusal) {
    super(refusal.message);
    this.name = 'RefusedError';
    this.refusal = refusal;
  }
}

/** Throws the refusal. */
export function deny(code: number, message: string, status = 400): never {
  throw new RefusedError(refuse(code, message, status));
}

export const filterFailure = (name: string): Refusal => refuse(-1013, `Filter failure: ${name}`);
export const unknownSymbol = (): Refusal => refuse(-1121, 'Invalid symbol.');
export const missing = (name: string): Refusal =>
  refuse(-1102, `Mandatory parameter '${name}' was not sent, was empty/null, or malformed.`);
export const bothMissing = (first: string, second: string): Refusal =>
  refuse(-1102, `Param '${first}' or '${second}' must be sent, but both were empty/null!`);
export const notRequired = (name: string): Refusal => refuse(-1106, `Parameter '${name}' sent when not required.`);
export const malformed = (name: string, range: string): Refusal =>
  refuse(-1100, `Illegal characters found in parameter '${name}'; legal range is '${range}'.`);
export const notValid = (name: string): Refusal => refuse(-1130, `Data sent for parameter '${name}' is not valid.`);
export const rejected = (message: string): Refusal => refuse(-2010, message);

export const INSUFFICIENT_BALANCE = 'Account has insufficient balance for requested action.';
export const DUPLICATE_ORDER = 'Duplicate order sent.';
export const MARKET_CLOSED = 'Market is closed.';
export const TRIGGERS_IMMEDIATELY = 'Order would trigger immediately.';
export const BAD_RELATIONSHIP = 'The relationship of the prices for the orders is not correct.';
export const WOULD_TAKE = 'Order would immediately match and take.';
export const ICEBERG_TOO_LARGE = 'IcebergQty exceeds QTY.';
export const WORTHLESS = 'Price * QTY is zero or less.';
export const NO_LIQUIDITY = 'Order book liquidity is less than symbol minimum quantity.';
export const liquidityBelow = (filter: 'LOT_SIZE' | 'MARKET_LOT_SIZE'): string =>
  `Order book liquidity is less than \`${filter}\` filter minimum quantity.`;
