import type { OrderId, ProfileId } from '#core/ids.ts';
import type { OrderState, Side } from '#core/order/order.ts';
import type { Reader } from '#storage/postgres/database.ts';

export interface OrderView {
  readonly id: OrderId;
  readonly profileId: ProfileId;
  readonly symbol: string;
  readonly side: Side;
  readonly purpose: string;
  readonly type: string;
  readonly state: OrderState;
  readonly reason: string;
  readonly quantity: string;
  readonly price: string | null;
  readonly stopPrice: string | null;
  readonly filledQuantity: string;
  readonly filledQuote: string;
  readonly clientOrderId: string;
  readonly exchangeOrderId: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface FillView {
  readonly tradeId: string;
  readonly orderId: OrderId;
  readonly profileId: ProfileId;
  readonly symbol: string;
  readonly side: Side;
  readonly price: string;
  readonly quantity: string;
  readonly quoteQuantity: string;
  readonly feeAmount: string;
  readonly feeAsset: string | null;
  /** Value of the fee in quote; null while the value of a third asset is unknown. */
  readonly feeQuote: string | null;
  readonly realised: string;
  readonly at: Date;
}

export const selectOrders = (database: Reader) =>
  database
    .selectFrom('orders')
    .select([
      'id',
      'profile_id as profileId',
      'symbol',
      'side',
      'purpose',
      'type',
      'state',
      'reason',
      'quantity',
      'price',
      'stop_price as stopPrice',
    ])
    .select(['filled_quantity as filledQuantity', 'filled_quote as filledQuote', 'client_order_id as clientOrderId'])
    .select(['exchange_order_id as exchangeOrderId', 'created_at as createdAt', 'updated_at as updatedAt']);

export const selectFills = (database: Reader) =>
  database
    .selectFrom('fills')
    .select([
      'trade_id as tradeId',
      'order_id as orderId',
      'profile_id as profileId',
      'symbol',
      'side',
      'price',
      'quantity',
    ])
    .select(['quote_quantity as quoteQuantity', 'fee_amount as feeAmount', 'fee_asset as feeAsset'])
    .select(['fee_quote as feeQuote', 'realised', 'at']);
