import type { Decimal } from '#core/amount/decimal.ts';
import type { OrderState, Side } from './order.ts';

/** An order as the exchange reports it. */
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
  /** Where the reply says so: when it was placed, its order list, its trailing delta, why it ended. */
  readonly placedAt?: Date;
  readonly listId?: string;
  readonly trailingBips?: number;
  readonly selfTradePrevented?: true;
}
