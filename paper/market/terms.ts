import { type Decimal, requireDecimal } from '#core/amount/decimal.ts';
import { type OrderSide, PREVENTION_MODES, type PreventionMode } from './order-types.ts';

/** Instructions that a coin may not support: the key of exchangeInfo that says so, and the message of the refusal. */
export const FEATURES = {
  icebergAllowed: 'Iceberg orders are not supported for this symbol.',
  ocoAllowed: 'OCO orders are not supported for this symbol',
  otoAllowed: 'OTO orders are not supported for this symbol.',
  quoteOrderQtyMarketAllowed: 'Quote order qty market orders are not support for this symbol.',
  allowTrailingStop: 'Trailing stop orders are not supported for this symbol.',
  cancelReplaceAllowed: 'Order cancel-replace is not supported for this symbol.',
} as const;
export type Feature = keyof typeof FEATURES;

/** The prices at which an order may execute, as multiples of the reference price; null for no bound. */
type PriceRange = Readonly<Record<'bidUp' | 'bidDown' | 'askUp' | 'askDown', Decimal | null>>;

/** The source of a coin's reference price: none, the mean of its trades in a moving window, or an external price. */
export type ReferenceRule =
  | { readonly kind: 'none' }
  | { readonly kind: 'mean'; readonly bucketCount: number; readonly bucketWidthMs: number }
  | { readonly kind: 'external'; readonly id: number; readonly price: Decimal | null; readonly atMs: number };

/** Trading conditions of a coin in addition to its filters. The control plane changes them. */
export interface Terms {
  /** Instructions and order types that the coin does not support. */
  lacks: readonly string[];
  preventions: readonly PreventionMode[];
  /** An account needs one of these permissions. */
  permissions: readonly string[];
  range: PriceRange;
  reference: ReferenceRule;
  /** A coarser grid for new orders than that of the listing; null for the listing's grid. */
  tick: Decimal | null;
  step: Decimal | null;
}

const [FIVE, FIFTH] = [requireDecimal('5'), requireDecimal('0.2')];

export const openTerms = (): Terms => ({
  lacks: [],
  preventions: PREVENTION_MODES,
  permissions: ['SPOT'],
  range: { bidUp: FIVE, bidDown: FIFTH, askUp: FIVE, askDown: FIFTH },
  reference: { kind: 'mean', bucketCount: 10, bucketWidthMs: 1000 },
  tick: null,
  step: null,
});

/** The bounds of one side. */
export const boundsOf = (
  { range }: Terms,
  side: OrderSide,
): { readonly up: Decimal | null; readonly down: Decimal | null } =>
  side === 'BUY' ? { up: range.bidUp, down: range.bidDown } : { up: range.askUp, down: range.askDown };
