import type { AccountId, TokenId, UserId } from '#core/ids.ts';
import type { TokenScope } from '#core/installation/token-scopes.ts';
import type { NullableTime, Time } from './columns.ts';

/* Row types of migration 29. */

export interface AccessTables {
  api_tokens: {
    id: TokenId;
    user_id: UserId;
    name: string;
    token_hash: Buffer;
    hint: string;
    scopes: TokenScope[];
    account_ids: AccountId[] | null;
    created_at: Time;
    expires_at: Time;
    last_used_at: NullableTime;
    last_ip: string | null;
    revoked_at: NullableTime;
  };
}
