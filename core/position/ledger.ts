import { type Decimal, negate } from '#core/amount/decimal.ts';
import type { ExchangeFill } from '#core/order/fill.ts';
import type { AdjustmentReason } from './cost-basis.ts';
import type { SymbolRules } from '#core/market/symbol.ts';

/**
 * A double-entry row in units of one asset. Rows of one event sum to zero per asset: what enters `wallet` leaves
 * `market`, what is paid as a fee goes to `fees`, a correction comes from `adjustments`. `wallet` is what positions and
 * their proceeds account for; `adjustments` is what else the wallet holds, and gets it from `outside`.
 */
export interface LedgerRow {
  readonly book: 'wallet' | 'market' | 'fees' | 'adjustments' | 'outside';
  readonly asset: string;
  readonly amount: Decimal;
  readonly reason: 'fill' | 'fee' | 'fee-correction' | AdjustmentReason | OutsideReason;
}

/** `untracked`: there when an epoch was first checked; `unexplained`: found later. */
type OutsideReason = 'untracked' | 'unexplained';

/** What came into the wallet, or left it when negative, without an order of this service. */
export interface OutsideChange {
  readonly asset: string;
  readonly amount: Decimal;
  readonly reason: OutsideReason;
  /** Free and locked in the wallet. */
  readonly wallet: Decimal;
}

type Movement = Pick<LedgerRow, 'asset' | 'amount' | 'reason'>;

/** Rows that move an amount of one asset from a book to another. */
export const transferRows = (
  from: LedgerRow['book'],
  { asset, amount, reason }: Movement,
  to: LedgerRow['book'] = 'wallet',
): LedgerRow[] => [
  { book: from, asset, amount: negate(amount), reason },
  { book: to, asset, amount, reason },
];

/** The rows of one fill: base, quote and fee asset each balanced. */
export function ledgerRowsOf(fill: ExchangeFill, rules: Pick<SymbolRules, 'baseAsset' | 'quoteAsset'>): LedgerRow[] {
  const sign = (amount: Decimal, into: boolean): Decimal => (into ? amount : negate(amount));
  const buying = fill.side === 'buy';
  const rows = [
    ...transferRows('market', { asset: rules.baseAsset, amount: sign(fill.quantity, buying), reason: 'fill' }),
    ...transferRows('market', { asset: rules.quoteAsset, amount: sign(fill.quoteQuantity, !buying), reason: 'fill' }),
  ];
  if (fill.feeAsset === null || fill.feeAmount === 0n) return rows;
  return [...rows, ...transferRows('fees', { asset: fill.feeAsset, amount: negate(fill.feeAmount), reason: 'fee' })];
}

/** The rows of a quantity that came or went without a trade; none when it stays. */
export const adjustmentRowsOf = (asset: string, amount: Decimal, reason: AdjustmentReason): LedgerRow[] =>
  amount === 0n ? [] : transferRows('adjustments', { asset, amount, reason });

/** The rows of a quantity that came from outside, or went there. */
export const outsideRowsOf = (change: OutsideChange): LedgerRow[] => transferRows('outside', change, 'adjustments');
