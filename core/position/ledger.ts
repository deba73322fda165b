import { type Decimal, negate } from '#core/amount/decimal.ts';
import type { ExchangeFill } from '#core/order/fill.ts';
import type { AdjustmentReason } from './cost-basis.ts';
import type { SymbolRules } from '#core/market/symbol.ts';

/**
 * A double-entry row in units of one asset. Rows of one event sum to zero per asset. A trade moves between `wallet` and
 * `market`, a fee goes to `fees`, a correction comes from `adjustments`. `wallet` holds positions and their proceeds.
 * `adjustments` holds all other amounts of the wallet, which come from `outside`.
 */
export interface LedgerRow {
  readonly book: 'wallet' | 'market' | 'fees' | 'adjustments' | 'outside';
  readonly asset: string;
  readonly amount: Decimal;
  readonly reason: 'fill' | 'fee' | 'fee-correction' | AdjustmentReason | OutsideReason;
}

/** `untracked`: present at the first check of an epoch; `unexplained`: found later. */
type OutsideReason = 'untracked' | 'unexplained';

/** A deposit into the wallet, or a withdrawal when negative, without an order of this service. */
export interface OutsideChange {
  readonly asset: string;
  readonly amount: Decimal;
  readonly reason: OutsideReason;
  /** Free and locked in the wallet. */
  readonly wallet: Decimal;
}

type Movement = Pick<LedgerRow, 'asset' | 'amount' | 'reason'>;

/** Rows that move an amount of one asset from one book to another. */
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

/** The rows of a quantity that changed without a trade; none without a change. */
export const adjustmentRowsOf = (asset: string, amount: Decimal, reason: AdjustmentReason): LedgerRow[] =>
  amount === 0n ? [] : transferRows('adjustments', { asset, amount, reason });

/** The rows of a deposit or withdrawal. */
export const outsideRowsOf = (change: OutsideChange): LedgerRow[] => transferRows('outside', change, 'adjustments');
