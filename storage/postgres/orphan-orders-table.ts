import type { Generated } from 'kysely';
import type { AccountId } from '#core/ids.ts';
import type { Side } from '#core/order/order.ts';
import type { OrphanState } from '#core/account/orphan.ts';
import type { Time, TimeOrDefault } from './columns.ts';

export interface OrphanOrdersTable {
  account_id: AccountId;
  symbol: string;
  exchange_order_id: string;
  client_order_id: string;
  side: Side;
  type: string;
  price: string;
  stop_price: string;
  quantity: string;
  filled_quantity: string;
  list_id: string | null;
  base_asset: string | null;
  locked_asset: string | null;
  locked_amount: string;
  placed_at: Time;
  first_seen_at: TimeOrDefault;
  last_seen_at: TimeOrDefault;
  state: Generated<OrphanState>;
  state_at: TimeOrDefault;
}
