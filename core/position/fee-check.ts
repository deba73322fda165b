import { add, type Decimal, formatDecimal, ZERO } from '#core/amount/decimal.ts';
import type { ExchangeFill } from '#core/order/fill.ts';
import { type LedgerRow, transferRows } from './ledger.ts';

export type Fee = Pick<ExchangeFill, 'feeAmount' | 'feeAsset'>;

/** True for the same fee. Zero fees are equal in any asset. */
export const isSameFee = (one: Fee, other: Fee): boolean =>
  one.feeAmount === other.feeAmount && (one.feeAmount === 0n || one.feeAsset === other.feeAsset);

/** Ledger rows that replace a recorded fee by the listed one: the old fee reversed, the new fee paid. */
export const feeCorrectionRows = (recorded: Fee, listed: Fee): LedgerRow[] =>
  [{ ...recorded, from: 'fees', to: 'wallet' } as const, { ...listed, from: 'wallet', to: 'fees' } as const].flatMap(
    ({ feeAsset: asset, feeAmount: amount, from, to }) =>
      asset === null || amount === 0n ? [] : transferRows(from, { asset, amount, reason: 'fee-correction' }, to),
  );

/** Sums of fees by asset: recorded and listed. */
export class FeeSums {
  readonly #sums = new Map<string, { recorded: Decimal; exchange: Decimal }>();

  add(which: 'recorded' | 'exchange', { feeAsset, feeAmount }: Fee): void {
    if (feeAsset === null || feeAmount === 0n) return;
    const sum = this.#sums.get(feeAsset) ?? { recorded: ZERO, exchange: ZERO };
    this.#sums.set(feeAsset, { ...sum, [which]: add(sum[which], feeAmount) });
  }

  view(): { asset: string; recorded: string; exchange: string }[] {
    return [...this.#sums]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([asset, { recorded, exchange }]) => ({
        asset,
        recorded: formatDecimal(recorded),
        exchange: formatDecimal(exchange),
      }));
  }
}
