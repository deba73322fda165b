import type { Decimal } from './decimal.ts';
import type { Side } from './order.ts';
import type { SymbolRules } from './symbol.ts';

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
