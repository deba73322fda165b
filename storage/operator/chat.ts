import { sql } from 'kysely';
import type { UserId } from '#core/ids.ts';
import type { Reader, Writer } from '#storage/postgres/database.ts';
import { jsonText } from '#storage/postgres/json.ts';

interface ChatSettings {
  readonly userId: UserId;
  readonly botToken: string;
  readonly serverUrl: string;
  readonly chatId: string;
  /** Telegram users whose messages count. */
  readonly userIds: readonly string[];
  readonly enabled: boolean;
}

export interface StoredChat extends ChatSettings {
  /** Messages of an earlier time are ignored. */
  readonly since: Date;
  readonly handledUpdate: number;
  readonly handledAt: Date;
  readonly answeredUpdate: number;
  readonly ignored: number;
  readonly problem: string | null;
  /** The command that waits for its code. */
  readonly code: {
    readonly hash: Buffer;
    readonly intent: unknown;
    readonly tries: number;
    readonly valid: boolean;
  } | null;
}

const NOW = sql<Date>`clock_timestamp()`;

export async function readChat(database: Reader): Promise<StoredChat | undefined> {
  const row = await database
    .selectFrom('chat')
    .selectAll()
    .select(sql<boolean>`coalesce(code_expires_at > clock_timestamp(), false)`.as('valid'))
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { code_hash: hash, code_intent: intent, code_tries: tries, valid } = row;
  return {
    ...{ userId: row.user_id, botToken: row.bot_token, serverUrl: row.server_url, chatId: row.chat_id },
    ...{ userIds: row.user_ids, enabled: row.enabled, since: row.since, problem: row.problem },
    ...{ handledUpdate: Number(row.handled_update), handledAt: row.handled_at },
    ...{ answeredUpdate: Number(row.answered_update), ignored: Number(row.ignored) },
    code: hash === null ? null : { hash, intent, tries, valid },
  };
}

const NO_CODE = { code_hash: null, code_intent: null, code_expires_at: null, code_tries: 0 } as const;

/** Messages from before the change are ignored, and a code that waits is void. Another bot numbers its updates from the start. */
export async function saveChat(database: Writer, chat: ChatSettings, isOtherBot: boolean): Promise<void> {
  const { userId, botToken, serverUrl, chatId, userIds, enabled } = chat;
  const row = {
    ...{ user_id: userId, bot_token: botToken, server_url: serverUrl, chat_id: chatId, user_ids: [...userIds] },
    ...{ enabled, since: NOW, problem: null, ...NO_CODE },
    ...(isOtherBot ? { handled_update: 0, answered_update: 0, ignored: 0 } : {}),
  };
  await database
    .insertInto('chat')
    .values(row)
    .onConflict((conflict) => conflict.column('one').doUpdateSet(row))
    .execute();
}

export async function deleteChat(database: Writer): Promise<boolean> {
  const { numDeletedRows } = await database.deleteFrom('chat').executeTakeFirst();
  return numDeletedRows > 0n;
}

/**
 * Marks an update as handled. Returns false when it was handled before, or the chat is off: then its effect must not be
 * stored. Voids the code, because it belongs to the newest command only.
 */
export async function takeUpdate(database: Writer, id: number): Promise<boolean> {
  const { numUpdatedRows } = await database
    .updateTable('chat')
    .set({ handled_update: String(id), handled_at: NOW, ...NO_CODE })
    .where('handled_update', '<', String(id))
    .where('enabled', '=', true)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

interface NewCode {
  readonly hash: Buffer;
  readonly intent: unknown;
  readonly validSeconds: number;
}

/** Marks an update as handled and stores the command that waits for a code; false as for `takeUpdate`. */
export async function takeUpdateForCode(database: Writer, id: number, code: NewCode): Promise<boolean> {
  const { numUpdatedRows } = await database
    .updateTable('chat')
    .set({
      ...{ handled_update: String(id), handled_at: NOW, code_hash: code.hash, code_tries: 0 },
      code_intent: jsonText(code.intent),
      code_expires_at: sql<Date>`clock_timestamp() + ${code.validSeconds} * interval '1 second'`,
    })
    .where('handled_update', '<', String(id))
    .where('enabled', '=', true)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Marks an update as handled that held a wrong code. */
export const takeWrongCode = (database: Writer, id: number) =>
  database
    .updateTable('chat')
    .set({ handled_update: String(id), handled_at: NOW, code_tries: sql<number>`code_tries + 1` })
    .where('handled_update', '<', String(id))
    .execute();

/** Marks an update as handled that changes nothing; the code that waits stays. False when it was handled before. */
export async function takeRead(database: Writer, id: number): Promise<boolean> {
  const { numUpdatedRows } = await database
    .updateTable('chat')
    .set({ handled_update: String(id), handled_at: NOW })
    .where('handled_update', '<', String(id))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Marks updates as handled that get no answer; `ignored` of them are of other chats or users. */
export const skipUpdates = (database: Writer, id: number, ignored: number) =>
  database
    .updateTable('chat')
    .set({
      ...{ handled_update: String(id), handled_at: NOW, ignored: sql<string>`ignored + ${ignored}` },
      // An answer that is owed to an earlier update stays owed.
      answered_update: sql<string>`case when answered_update = handled_update then ${id} else answered_update end`,
    })
    .where('handled_update', '<', String(id))
    .execute();

export const markAnswered = (database: Writer, id: number) =>
  database
    .updateTable('chat')
    .set({ answered_update: String(id) })
    .where('answered_update', '<', String(id))
    .where('handled_update', '>=', String(id))
    .execute();

/** After a week without messages, Telegram numbers the next update at random, perhaps lower. */
export const forgetUpdates = (database: Writer) =>
  database.updateTable('chat').set({ handled_update: 0, answered_update: 0 }).execute();

export const noteChatProblem = (database: Writer, problem: string | null) =>
  database.updateTable('chat').set({ problem }).where(sql<boolean>`problem is distinct from ${problem}`).execute();

/** Ids of open proposals of a user that the worker would place, and that were not sent to the chat, oldest first. */
export async function proposalsToAnnounce(database: Reader, userId: UserId): Promise<string[]> {
  const rows = await database
    .selectFrom('proposals')
    .innerJoin('api_tokens', 'api_tokens.id', 'proposals.token_id')
    .innerJoin('operator_actions', 'operator_actions.id', 'proposals.preview_id')
    .select('proposals.id')
    .where('api_tokens.user_id', '=', userId)
    .where('proposals.state', '=', 'open')
    .where('proposals.announced_at', 'is', null)
    .where('proposals.expires_at', '>', NOW)
    .where('operator_actions.state', '=', 'done')
    .orderBy('proposals.proposed_at')
    .execute();
  return rows.map(({ id }) => id);
}

export const markAnnounced = (database: Writer, id: string) =>
  database.updateTable('proposals').set({ announced_at: NOW }).where('id', '=', id).execute();
