import type { Generated } from 'kysely';
import type { AccountId, ProfileId } from '#core/ids.ts';
import type { Side } from '#core/order/order.ts';
import type { Bigint, Json, JsonOrDefault, NullableJson, NullableTime, Time, TimeOrDefault } from './columns.ts';

/* Row types of migrations 15, 16, 28 and 41. */

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
  /** Written by a trigger. */
  position_history: {
    account_id: AccountId;
    profile_id: ProfileId;
    symbol: string;
    at: Time;
    version: Bigint;
    quantity: string;
    cost: string;
    cost_change: string;
    cycle: number;
    is_open: boolean;
    open_change: number;
    cycle_net: string;
    realised: string;
    fees: string;
    unvalued_fees: Bigint;
  };
  /** Written by a trigger of action_logs. */
  decisions: {
    id: string;
    profile_id: ProfileId;
    symbol: string;
    reason: string;
    refused: boolean;
    count: Bigint;
    away: string | null;
    first_at: Time;
    last_at: Time;
  };
  discovery_cycles: { id: string; profile_id: ProfileId; at: Time; error: string | null; result: Json };
}
