import { type Decimal, multiply, ZERO } from '#core/amount/decimal.ts';
import type { Side } from './order.ts';
import type { SymbolRules } from '#core/market/symbol.ts';

/** One execution as the exchange reported it. Unique by (account, epoch, symbol, tradeId, exchangeOrderId). */
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

/** A fee was taken in neither coin of the pair: only a price can tell what it is worth in quote. */
export const isThirdAssetFee = (
  { feeAsset, feeAmount }: Pick<ExchangeFill, 'feeAsset' | 'feeAmount'>,
  { baseAsset, quoteAsset }: Pick<SymbolRules, 'baseAsset' | 'quoteAsset'>,
): boolean => feeAsset !== null && feeAmount > 0n && feeAsset !== baseAsset && feeAsset !== quoteAsset;

/** What a fee is worth in quote at its fill; null while the value `thirdValue` of one in a third asset is not known. */
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
