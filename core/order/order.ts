import type { Decimal } from '#core/amount/decimal.ts';
import type { AccountId, OrderId, ProfileId } from '#core/ids.ts';

/** `sending` lives in memory only: after a crash an `intent` counts as possibly sent. */
export const ORDER_STATES = [
  'intent',
  'open',
  'partially-filled',
  'filled',
  'cancelled',
  'expired',
  'rejected',
  'unknown',
  'never-arrived',
] as const;
export type OrderState = (typeof ORDER_STATES)[number];

/** States in which the exchange may still hold or receive the order. */
export const LIVE_ORDER_STATES = ['intent', 'open', 'partially-filled', 'unknown'] as const satisfies OrderState[];
export const isLiveOrder = (state: OrderState): boolean => LIVE_ORDER_STATES.some((live) => live === state);

export type Side = 'buy' | 'sell';
/** `target`: the leg of an order list that sells above the price, next to a `stop`. */
const PURPOSES = ['entry', 'exit', 'stop', 'target', 'manual'] as const;
export type OrderPurpose = (typeof PURPOSES)[number];

export type OrderForm =
  | { readonly type: 'market' }
  /** `maker`: the exchange refuses it when it would fill at once; known only for new orders. */
  | { readonly type: 'limit'; readonly price: Decimal; readonly maker?: boolean }
  | { readonly type: 'stop-loss-limit'; readonly stopPrice: Decimal; readonly price: Decimal }
  /** Sells at the market once the price is reached. This service never places it, but may find it on the exchange. */
  | { readonly type: 'stop-loss'; readonly stopPrice: Decimal }
  /** Sells at the market once the price falls by this many bps from its highest since placement. */
  | { readonly type: 'trailing-stop'; readonly deltaBips: number };

/** An order to send. `quantity` and prices are exact multiples of the lot size and the tick size. */
export interface OrderDraft {
  readonly accountId: AccountId;
  readonly profileId: ProfileId;
  readonly symbol: string;
  readonly side: Side;
  readonly purpose: OrderPurpose;
  readonly form: OrderForm;
  readonly quantity: Decimal;
  /** The buy level of an entry, and the budget of the level at its first order. */
  readonly entry?: { readonly level: number; readonly plannedQuote: Decimal };
}

declare const approved: unique symbol;
/** Only engine/tick/approve.ts makes one; nothing else can be committed as an intent or sent. */
export type ApprovedOrder = OrderDraft & { readonly [approved]: true };

/** An order row. Times are market time unless named otherwise; `sendBeforeMs` is protocol time. */
export interface OrderRecord extends OrderDraft {
  readonly id: OrderId;
  readonly clientOrderId: string;
  /** Client id of its order list; null for an order outside a list. */
  readonly listId: string | null;
  readonly exchangeOrderId: string | null;
  readonly state: OrderState;
  readonly reason: string;
  /** Reason code at commit. */
  readonly decision: unknown;
  readonly filledQuantity: Decimal;
  readonly filledQuote: Decimal;
  readonly fencing: number;
  readonly sendBeforeMs: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly payload: unknown;
}

const PURPOSE_LETTER: Readonly<Record<OrderPurpose, string>> = {
  entry: 'e',
  exit: 'x',
  stop: 's',
  target: 't',
  manual: 'm',
};
/** The offset of the 64-bit hash in two halves; its prime is 2^40 + FNV_PRIME. */
const [FNV_HIGH, FNV_LOW] = [0xcbf29ce4, 0x84222325];
const FNV_PRIME = 0x1b3;
const HALF = 2 ** 32;
const encoder = new TextEncoder();

/** A short, stable hash of a text. Not cryptographic. */
export function fnv1a64(text: string): bigint {
  // In halves that float64 holds exactly, because it runs between a price and its order.
  let [high, low] = [FNV_HIGH, FNV_LOW];
  for (const byte of encoder.encode(text)) {
    const mixed = (low ^ byte) >>> 0;
    const product = mixed * FNV_PRIME;
    high = (high * FNV_PRIME + Math.floor(product / HALF) + mixed * 256) >>> 0;
    low = product >>> 0;
  }
  return (BigInt(high) << 32n) | BigInt(low);
}

/**
 * The client order id of an intent: `tw1-<owner>-<purpose><sequence>`, at most 36 characters of [A-Za-z0-9-].
 * Deterministic, so that the owner of a stray order can be derived. `sequence` never repeats within (profile, symbol), so
 * an id is never used for a second intent.
 */
export function clientOrderIdOf(owner: {
  readonly profileId: ProfileId;
  readonly symbol: string;
  readonly purpose: OrderPurpose;
  readonly sequence: number;
}): string {
  const hash = fnv1a64(`${owner.profileId}:${owner.symbol}`).toString(36).padStart(13, '0');
  return `tw1-${hash}-${PURPOSE_LETTER[owner.purpose]}${owner.sequence.toString(36)}`;
}

/** The id of the cancel of an order: deterministic, and never the id of an order. */
export const cancelIdOf = (clientOrderId: string): string => `${clientOrderId}-c`;

/** Type of the exchange of a leg that sells above the price. */
const ABOVE = 'LIMIT_MAKER';

/**
 * The order id of a cancel id; any other id is returned unchanged. The cancel of an order list gives both legs one id: the
 * type of the exchange then says which leg it is.
 */
export const originalIdOf = (clientOrderId: string, type: string): string =>
  clientOrderId.replace(/^(tw1-.+)-c$/, '$1').replace(/^(tw1-.+)-l([0-9a-z]+)$/, `$1-${type === ABOVE ? 't' : 's'}$2`);

/** The client id of the order list of a leg: one number for list, stop and target. */
export const listIdOf = (clientOrderId: string): string => clientOrderId.replace(/-[st]([0-9a-z]+)$/, '-l$1');

/** The client id of the stop in the list of a target; any other id is returned unchanged. */
export const stopIdOf = (clientOrderId: string): string => clientOrderId.replace(/-t([0-9a-z]+)$/, '-s$1');

/** The client id of the target in the list of a stop. */
export const targetIdOf = (clientOrderId: string): string => clientOrderId.replace(/-s([0-9a-z]+)$/, '-t$1');

/** True for an id in the form of this service, for any profile. */
export const isServiceOrderId = (clientOrderId: string): boolean => clientOrderId.startsWith('tw1-');

/** True when `clientOrderId` has the form for orders of (profile, symbol). */
export function isOwnClientOrderId(clientOrderId: string, profileId: ProfileId, symbol: string): boolean {
  const prefix = clientOrderIdOf({ profileId, symbol, purpose: 'entry', sequence: 0 }).slice(0, -2);
  return clientOrderId.startsWith(prefix) && /^[exstm][0-9a-z]+(-c)?$/.test(clientOrderId.slice(prefix.length));
}

/** Decoded own client order id. */
export interface OwnOrderId {
  readonly clientOrderId: string;
  readonly purpose: OrderPurpose;
  readonly sequence: number;
}

/** Decodes the id of a stray order of (profile, symbol); undefined when deriving the id again gives another id. */
export function readOwnClientOrderId(id: string, profileId: ProfileId, symbol: string): OwnOrderId | undefined {
  if (!isOwnClientOrderId(id, profileId, symbol)) return undefined;
  const clientOrderId = id.replace(/-c$/, '');
  const text = clientOrderId.slice(clientOrderId.lastIndexOf('-') + 1);
  const purpose = PURPOSES.find((each) => PURPOSE_LETTER[each] === text[0]);
  if (purpose === undefined) return undefined;
  const sequence = Number.parseInt(text.slice(1), 36);
  const derived = clientOrderIdOf({ profileId, symbol, purpose, sequence });
  return derived === clientOrderId ? { clientOrderId, purpose, sequence } : undefined;
}
