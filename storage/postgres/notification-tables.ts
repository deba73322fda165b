import type { AccountId } from '#core/ids.ts';
import type { ALERT_KINDS } from '#core/market/price-alert.ts';
import type { ChannelName } from '#core/installation/notify.ts';
import type { Generated } from 'kysely';
import type { Json, NullableTime, Time, TimeOrDefault } from './columns.ts';

/* Row types of migration 31. */

export interface NotificationTables {
  account_notifiers: {
    id: string;
    account_id: AccountId;
    provider: ChannelName;
    label: string;
    enabled: boolean;
    config: Json;
    secrets: Json;
    updated_at: TimeOrDefault;
  };
  notification_deliveries: {
    id: string;
    account_id: AccountId;
    at: TimeOrDefault;
    event: string;
    title: string;
    channel: string;
    error: string | null;
  };
  push_keys: {
    single: Generated<boolean>;
    public_key: string;
    private_key: string;
    created_at: TimeOrDefault;
  };
  price_alerts: {
    id: string;
    account_id: AccountId;
    symbol: string;
    kind: (typeof ALERT_KINDS)[number];
    price: string | null;
    percent: string | null;
    minutes: number | null;
    ready: Generated<boolean>;
    triggered_at: NullableTime;
    triggered_price: string | null;
    armed_at: TimeOrDefault;
    created_at: Time;
  };
}
