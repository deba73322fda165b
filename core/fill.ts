import type { Decimal } from './decimal.ts';
import type { Side } from './order.ts';

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
