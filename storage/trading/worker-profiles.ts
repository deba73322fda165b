import type { ApiKey } from '#core/account/account.ts';
import type { AccountId } from '#core/ids.ts';
import type { AccountToRun, ProfileToRun } from '#core/account/profile-to-run.ts';
import type { Database } from '#storage/postgres/database.ts';

type KeyColumns = {
  readonly label: string | null;
  readonly api_key: string | null;
  readonly secret: string | null;
  readonly status: 'healthy' | 'error' | null;
  readonly cause: string | null;
  readonly checked_at: Date | null;
};

function keyOf(accountId: AccountId, row: KeyColumns): AccountToRun['key'] {
  const { label, api_key: apiKey, secret } = row;
  if (label === null || apiKey === null || secret === null) return null;
  return { accountId, label, apiKey, secret, status: row.status, cause: row.cause, checkedAt: row.checked_at };
}

/** Every account with its key, oldest first. */
export async function loadAccountsToRun(db: Database): Promise<AccountToRun[]> {
  const rows = await db.kysely
    .selectFrom('accounts')
    .leftJoin('api_keys', 'api_keys.account_id', 'accounts.id')
    .select(['accounts.id', 'accounts.name', 'binance_mode', 'endpoint', 'epoch'])
    .select(['label', 'api_key', 'secret', 'status', 'cause', 'checked_at'])
    .orderBy('accounts.created_at')
    .orderBy('accounts.id')
    .execute();
  return rows.map((row) => ({
    account: {
      id: row.id,
      name: row.name,
      exchangeMode: row.binance_mode,
      endpoint: row.endpoint,
      epoch: row.epoch,
    },
    key: keyOf(row.id, row),
  }));
}

/** All profiles of an account, disabled ones too (their fills are still folded), with their symbols in order. */
export async function loadProfilesToRun(db: Database, accountId: AccountId): Promise<ProfileToRun[]> {
  const profiles = await db.kysely
    .selectFrom('profiles')
    .select(['id', 'account_id', 'name', 'strategy_name', 'config', 'enabled', 'capture_until'])
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  const symbols = await db.kysely
    .selectFrom('profile_symbols')
    .innerJoin('profiles', 'profiles.id', 'profile_symbols.profile_id')
    .leftJoin('runner_states as runner', (join) =>
      join
        .onRef('runner.profile_id', '=', 'profile_symbols.profile_id')
        .onRef('runner.symbol', '=', 'profile_symbols.symbol'),
    )
    .select(['profile_symbols.profile_id', 'profile_symbols.symbol', 'override_config', 'runner.version'])
    .where('account_id', '=', accountId)
    .orderBy('profile_symbols.symbol')
    .execute();
  return profiles.map((profile) => ({
    id: profile.id,
    accountId: profile.account_id,
    name: profile.name,
    strategyName: profile.strategy_name,
    config: profile.config,
    enabled: profile.enabled,
    captureUntil: profile.capture_until,
    symbols: symbols
      .filter((row) => row.profile_id === profile.id)
      .map((row) => ({ symbol: row.symbol, overrideConfig: row.override_config, version: Number(row.version ?? 0) })),
  }));
}

/**
 * Stores the exchange's verdict on a key, unless the key was replaced meanwhile. Callers pass definite answers only:
 * network faults do not change the status. A key that another account also has keeps its error.
 */
export async function saveKeyStatus(
  db: Database,
  key: Pick<ApiKey, 'accountId' | 'apiKey'>,
  answer: { readonly status: 'healthy' | 'error'; readonly cause: string | null },
): Promise<void> {
  await db.kysely
    .updateTable('api_keys')
    .set({ status: answer.status, cause: answer.cause, checked_at: new Date() })
    .where('account_id', '=', key.accountId)
    .where('api_key', '=', key.apiKey)
    .where('shared', '=', false)
    .execute();
}
