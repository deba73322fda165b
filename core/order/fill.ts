import { type Decimal, multiply, ZERO } from '#core/amount/decimal.ts';
import type { Side } from './order.ts';
import type { SymbolRules } from '#core/market/symbol.ts';

/** One fill as reported by the exchange. Unique by (account, epoch, symbol, tradeId, exchangeOrderId). */
export interface ExchangeFill {
  readonly symbol: string;
  readonly tradeId: string;
  readonly exchangeOrderId: string;
  readonly side: Side;
  readonly price: Decimal;
  readonly quantity: Decimal;
  readonly quoteQuantity: Decimal;
  readonly feeAmount: Decimal;
  readonly feeAsset: string | null;
  readonly maker: boolean;
  readonly at: Date;
}

/** True for a fee in a third asset: its value in quote needs a price. */
export const isThirdAssetFee = (
  { feeAsset, feeAmount }: Pick<ExchangeFill, 'feeAsset' | 'feeAmount'>,
  { baseAsset, quoteAsset }: Pick<SymbolRules, 'baseAsset' | 'quoteAsset'>,
): boolean => feeAsset !== null && feeAmount > 0n && feeAsset !== baseAsset && feeAsset !== quoteAsset;

/** Value of a fee in quote at its fill; null while the value `thirdValue` of a third asset is unknown. */
export function feeValueOf(
  fill: Pick<ExchangeFill, 'feeAsset' | 'feeAmount' | 'price'>,
  { baseAsset, quoteAsset }: Pick<SymbolRules, 'baseAsset' | 'quoteAsset'>,
  thirdValue: Decimal | null,
): Decimal | null {
  const { feeAsset, feeAmount, price } = fill;
  if (feeAsset === null || feeAmount === 0n) return ZERO;
  if (feeAsset === quoteAsset) return feeAmount;
  return feeAsset === baseAsset ? multiply(feeAmount, price) : thirdValue;
}
