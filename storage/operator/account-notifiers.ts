import { z } from 'zod';
import { type AccountId, newId } from '#core/ids.ts';
import { type ChannelName, type ChannelRules, channelRules } from '#core/installation/notify.ts';
import type { Reader, Writer } from '#storage/postgres/database.ts';
import { jsonText } from '#storage/postgres/json.ts';

const texts = z.record(z.string(), z.string());
const stored = z.object({ settings: texts, rules: channelRules });
type Texts = z.output<typeof texts>;

/** A notifier of an account: one of each kind, and one for each browser. */
export interface AccountNotifier {
  readonly id: string;
  readonly accountId: AccountId;
  readonly provider: ChannelName;
  /** The browser in words; empty for other kinds. */
  readonly label: string;
  readonly enabled: boolean;
  readonly settings: Texts;
  readonly secrets: Texts;
  readonly rules: ChannelRules;
  readonly updatedAt: Date;
}

const selectNotifiers = (database: Reader) =>
  database
    .selectFrom('account_notifiers')
    .select(['id', 'account_id as accountId', 'provider', 'label', 'enabled', 'config', 'secrets'])
    .select('updated_at as updatedAt')
    .orderBy('provider')
    .orderBy('id');

type Row = Awaited<ReturnType<ReturnType<typeof selectNotifiers>['execute']>>[number];

const viewOf = ({ config, secrets, ...row }: Row): AccountNotifier => ({
  ...row,
  ...stored.parse(config),
  secrets: texts.parse(secrets),
});

/** The notifiers of an account; without one, those of all accounts. */
export async function listAccountNotifiers(database: Reader, accountId?: AccountId): Promise<AccountNotifier[]> {
  const query = selectNotifiers(database);
  const rows = await (accountId === undefined ? query : query.where('account_id', '=', accountId)).execute();
  return rows.map(viewOf);
}

export async function readAccountNotifier(database: Reader, id: string): Promise<AccountNotifier | undefined> {
  const row = await selectNotifiers(database).where('id', '=', id).executeTakeFirst();
  return row === undefined ? undefined : viewOf(row);
}

/** Adds a notifier, or replaces the one with its id; returns the id. */
export async function saveAccountNotifier(
  database: Writer,
  notifier: Omit<AccountNotifier, 'id' | 'updatedAt'> & { readonly id?: string },
): Promise<string> {
  const { id = newId(), accountId, provider, label, enabled, settings, rules, secrets } = notifier;
  const row = {
    ...{ label, enabled, config: jsonText({ settings, rules }), secrets: jsonText(secrets) },
    updated_at: new Date(),
  };
  await database
    .insertInto('account_notifiers')
    .values({ id, account_id: accountId, provider, ...row })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
    .execute();
  return id;
}

export async function deleteAccountNotifier(database: Writer, id: string): Promise<void> {
  await database.deleteFrom('account_notifiers').where('id', '=', id).execute();
}

/** Messages of an account whose result is kept. */
const DELIVERIES_KEPT = 50;

interface Delivery {
  readonly at: Date;
  readonly event: string;
  readonly title: string;
  readonly channel: string;
  /** Null when the message was accepted. */
  readonly error: string | null;
}

/** Stores the result of a message, and removes the oldest ones of the account. */
export async function recordDelivery(
  database: Writer,
  accountId: AccountId,
  delivery: Omit<Delivery, 'at'>,
): Promise<void> {
  await database
    .insertInto('notification_deliveries')
    .values({ id: newId(), account_id: accountId, ...delivery })
    .execute();
  await database
    .deleteFrom('notification_deliveries')
    .where('account_id', '=', accountId)
    .where('id', 'not in', (query) =>
      query
        .selectFrom('notification_deliveries')
        .select('id')
        .where('account_id', '=', accountId)
        .orderBy('id', 'desc')
        .limit(DELIVERIES_KEPT),
    )
    .execute();
}

/** The last messages of an account, the newest first. */
export const listDeliveries = (database: Reader, accountId: AccountId): Promise<Delivery[]> =>
  database
    .selectFrom('notification_deliveries')
    .select(['at', 'event', 'title', 'channel', 'error'])
    .where('account_id', '=', accountId)
    .orderBy('id', 'desc')
    .limit(DELIVERIES_KEPT)
    .execute();
