import type { Generated } from 'kysely';
import type { AccountId, ProfileId } from '#core/ids.ts';
import type { Side } from '#core/order/order.ts';
import type { Json, JsonOrDefault, NullableJson, NullableTime, Time, TimeOrDefault } from './columns.ts';

/* Row types of migrations 15 and 16. */

interface TradeKey {
  account_id: AccountId;
  epoch: number;
  symbol: string;
  trade_id: string;
  exchange_order_id: string;
  fee_amount: string;
  fee_asset: string | null;
  recorded_at: TimeOrDefault;
}

export interface HistoryTables {
  profile_runs: {
    id: string;
    profile_id: ProfileId;
    kind: 'fees' | 'archive';
    status: Generated<'queued' | 'running' | 'done' | 'error'>;
    request: JsonOrDefault;
    report: NullableJson;
    error: string | null;
    started_at: TimeOrDefault;
    finished_at: NullableTime;
  };
  fee_adjustments: TradeKey & { run_id: string; fee_quote: string | null };
  archived_fills: TradeKey & {
    side: Side;
    price: string;
    quantity: string;
    quote_quantity: string;
    maker: boolean;
    at: Time;
  };
  discovery_cycles: { id: string; profile_id: ProfileId; at: Time; error: string | null; result: Json };
}
