import { sql } from 'kysely';
import type { Account, ApiKey, Endpoint, ExchangeMode } from '#core/account/account.ts';
import { type AccountId, newId, type UserId } from '#core/ids.ts';
import { LIVE_ORDER_STATES } from '#core/order/order.ts';
import type { Reader, Transaction, Writer } from '#storage/postgres/database.ts';

/** Public fields of an API key, without the key and the secret. */
interface KeyStatus {
  readonly label: string;
  readonly last4: string;
  readonly status: 'healthy' | 'error' | null;
  readonly cause: string | null;
  readonly checkedAt: Date | null;
}

export interface AccountView extends Account {
  /** When the exchange was found reset; null once the operator has confirmed it. */
  readonly resetAt: Date | null;
  readonly createdAt: Date;
  readonly apiKey: KeyStatus | null;
}

const selectAccount = (database: Reader, userId: UserId) =>
  database
    .selectFrom('accounts')
    .leftJoin('api_keys', 'api_keys.account_id', 'accounts.id')
    .select(['accounts.id', 'name', 'binance_mode', 'endpoint', 'epoch', 'reset_at', 'created_at'])
    .select(['api_keys.account_id as keyed', 'label', 'status', 'cause', 'checked_at'])
    .select(sql<string | null>`right(api_keys.api_key, 4)`.as('last4'))
    .where('user_id', '=', userId);

type AccountRow = Awaited<ReturnType<ReturnType<typeof selectAccount>['executeTakeFirstOrThrow']>>;

const viewOf = (row: AccountRow): AccountView => ({
  id: row.id,
  name: row.name,
  exchangeMode: row.binance_mode,
  endpoint: row.endpoint,
  epoch: row.epoch,
  resetAt: row.reset_at,
  createdAt: row.created_at,
  apiKey:
    row.keyed === null
      ? null
      : {
          label: row.label ?? '',
          last4: row.last4 ?? '',
          status: row.status,
          cause: row.cause,
          checkedAt: row.checked_at,
        },
});

export async function listAccounts(database: Reader, userId: UserId): Promise<AccountView[]> {
  const rows = await selectAccount(database, userId).orderBy('created_at').orderBy('accounts.id').execute();
  return rows.map(viewOf);
}

export async function readAccount(database: Reader, userId: UserId, id: AccountId): Promise<AccountView | undefined> {
  const row = await selectAccount(database, userId).where('accounts.id', '=', id).executeTakeFirst();
  return row === undefined ? undefined : viewOf(row);
}

/** Undefined when the operator already has an account of that name. */
export async function createAccount(
  database: Writer,
  account: { userId: UserId; name: string; exchangeMode: ExchangeMode; endpoint: Endpoint },
): Promise<AccountId | undefined> {
  const id = newId<AccountId>();
  const row = await database
    .insertInto('accounts')
    .values({
      id,
      user_id: account.userId,
      name: account.name,
      binance_mode: account.exchangeMode,
      endpoint: account.endpoint,
    })
    .onConflict((conflict) => conflict.columns(['user_id', 'name']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return row?.id;
}

export async function isAccountNameTaken(
  database: Reader,
  name: { userId: UserId; name: string; except: AccountId },
): Promise<boolean> {
  const row = await database
    .selectFrom('accounts')
    .select('id')
    .where('user_id', '=', name.userId)
    .where('name', '=', name.name)
    .where('id', '!=', name.except)
    .executeTakeFirst();
  return row !== undefined;
}

export async function renameAccount(database: Writer, id: AccountId, name: string): Promise<void> {
  await database.updateTable('accounts').set({ name }).where('id', '=', id).execute();
}

/**
 * Locks the account against other changes, so that later reads stay true until the transaction ends. Only `delete` also
 * blocks intents and new profiles.
 */
export async function lockAccount(database: Writer, id: AccountId, purpose: 'change' | 'delete'): Promise<void> {
  const query = database.selectFrom('accounts').select('id').where('id', '=', id);
  await (purpose === 'delete' ? query.forUpdate() : query.forNoKeyUpdate()).execute();
}

/** Profiles and live orders, which block the deletion of an account. */
export async function accountExposure(
  database: Reader,
  id: AccountId,
): Promise<{ profiles: number; liveOrders: number }> {
  const profiles = await database
    .selectFrom('profiles')
    .select((row) => row.fn.countAll<string>().as('count'))
    .where('account_id', '=', id)
    .executeTakeFirstOrThrow();
  const orders = await database
    .selectFrom('orders')
    .select((row) => row.fn.countAll<string>().as('count'))
    .where('account_id', '=', id)
    .where('state', 'in', [...LIVE_ORDER_STATES])
    .executeTakeFirstOrThrow();
  return { profiles: Number(profiles.count), liveOrders: Number(orders.count) };
}

/** Deletes an account with its own history. The setting lets the triggers that protect history allow it. */
export async function deleteAccount(database: Transaction, id: AccountId): Promise<void> {
  await sql`select set_config('tradewind.deleted_account', ${id}, true)`.execute(database);
  await database.deleteFrom('ledger_entries').where('account_id', '=', id).execute();
  await database.deleteFrom('fills').where('account_id', '=', id).execute();
  await database.deleteFrom('orders').where('account_id', '=', id).execute();
  await database.deleteFrom('accounts').where('id', '=', id).execute();
}

export async function countLiveAccounts(database: Reader): Promise<number> {
  const row = await database
    .selectFrom('accounts')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('binance_mode', '=', 'live')
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/** Name of another account that has this key. Locks the key for other accounts until the transaction ends. */
export async function otherKeyOwner(
  database: Transaction,
  { accountId, apiKey }: Pick<ApiKey, 'accountId' | 'apiKey'>,
): Promise<string | undefined> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`tradewind:api-key:${apiKey}`}, 0))`.execute(database);
  const row = await database
    .selectFrom('api_keys')
    .innerJoin('accounts', 'accounts.id', 'account_id')
    .select('name')
    .where('api_key', '=', apiKey)
    .where('account_id', '!=', accountId)
    .executeTakeFirst();
  return row?.name;
}

/** Stores a key in plaintext (there is no encryption at rest) and resets the status of the previous key. */
export async function saveApiKey(
  database: Writer,
  key: {
    accountId: AccountId;
    label: string;
    apiKey: string;
    secret: string;
    status: 'healthy' | null;
    checkedAt: Date | null;
  },
): Promise<void> {
  const values = {
    label: key.label,
    api_key: key.apiKey,
    secret: key.secret,
    shared: false,
    status: key.status,
    cause: null,
    checked_at: key.checkedAt,
  };
  await database
    .insertInto('api_keys')
    .values({ account_id: key.accountId, ...values })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet({ ...values, updated_at: new Date() }))
    .execute();
}

/** False when the account had none. */
export async function deleteApiKey(database: Writer, accountId: AccountId): Promise<boolean> {
  const row = await database
    .deleteFrom('api_keys')
    .where('account_id', '=', accountId)
    .returning('account_id')
    .executeTakeFirst();
  return row !== undefined;
}
