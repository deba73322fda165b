import type { Decimal } from '#core/amount/decimal.ts';
import type { OrderState, Side } from './order.ts';

/** An order as reported by the exchange. */
export interface ExchangeOrder {
  readonly symbol: string;
  readonly exchangeOrderId: string;
  readonly clientOrderId: string;
  readonly side: Side;
  readonly state: OrderState;
  readonly quantity: Decimal;
  readonly filledQuantity: Decimal;
  readonly filledQuote: Decimal;
  readonly price: Decimal;
  readonly stopPrice: Decimal;
  readonly type: string;
  readonly updatedAt: Date;
  /** Present when the reply has them: placement time, order list, trailing delta, end reason. */
  readonly placedAt?: Date;
  readonly listId?: string;
  readonly trailingBips?: number;
  readonly selfTradePrevented?: true;
}
