import { sql } from 'kysely';
import type { Numbers } from '#core/decision/decision.ts';
import { type AccountId, newId, type ProfileId } from '#core/ids.ts';
import type { SignalAnswer } from '#core/ports/store.ts';
import type { ListedSignal } from '#core/order/signal-list.ts';
import { type PendingSignal, SIGNAL_AHEAD_MS, type SignalAction } from '#core/order/signal.ts';
import type { Database, Reader, Transaction, Writer } from '#storage/postgres/database.ts';
import { jsonText } from '#storage/postgres/json.ts';

/** Channel that publishes the account's id when a signal commits. */
export const SIGNAL_CHANNEL = 'signals';

/** An inlet as signals find it. */
export interface Inlet {
  readonly id: string;
  readonly name: string;
  readonly profileId: ProfileId;
  readonly maxAgeSeconds: number;
}

interface Sent {
  readonly key: string;
  readonly symbol: string;
  readonly action: SignalAction;
  readonly at: Date;
}

type State = 'pending' | 'used' | 'ended' | 'refused';

interface Refusal {
  readonly reason: 'signal-late' | 'signal-ahead' | 'signal-unknown-coin' | 'signal-overtaken';
  readonly numbers: Numbers;
}

interface Recorded {
  readonly id: string;
  readonly state: State;
  readonly reason: string | null;
  readonly numbers: unknown;
  /** It was recorded before. */
  readonly duplicate: boolean;
}

/**
 * Records a signal once, with its refusal when it is late, ahead of the clock, of a coin that the profile has not bound, or
 * older than another of its coin. A new pending one ends the pending one before it. The clock is that of the database.
 */
export async function recordSignal(transaction: Transaction, inlet: Inlet, sent: Sent): Promise<Recorded> {
  const { profileId } = inlet;
  const { key, symbol, action, at } = sent;
  // Signals of a coin are judged one after the other.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`signal:${profileId}:${symbol}`}, 0))`.execute(transaction);
  const before = await transaction
    .selectFrom('signals')
    .select(['id', 'state', 'reason', 'numbers'])
    .where('inlet_id', '=', inlet.id)
    .where('key', '=', key)
    .executeTakeFirst();
  if (before !== undefined) return { ...before, duplicate: true };
  const refusal = await refusalOf(transaction, inlet, sent);
  const id = newId<string>();
  const state = refusal === undefined ? 'pending' : 'refused';
  if (refusal === undefined) {
    const older = transaction.updateTable('signals').set({ state: 'ended', reason: 'signal-overtaken', ended_at: NOW });
    await older
      .where('profile_id', '=', profileId)
      .where('symbol', '=', symbol)
      .where('state', '=', 'pending')
      .execute();
  }
  const result = { reason: refusal?.reason ?? null, numbers: refusal?.numbers ?? {} };
  await transaction
    .insertInto('signals')
    .values({
      ...{ id, key, symbol, action, at, state, reason: result.reason, numbers: jsonText(result.numbers) },
      ...{ inlet_id: inlet.id, inlet_name: inlet.name, profile_id: profileId },
      received_at: NOW,
      valid_until: new Date(at.getTime() + inlet.maxAgeSeconds * 1_000),
      ended_at: refusal === undefined ? null : NOW,
    })
    .execute();
  if (refusal === undefined)
    await sql`select pg_notify(${SIGNAL_CHANNEL}, account_id::text) from profiles where id = ${profileId}`.execute(
      transaction,
    );
  return { id, state, ...result, duplicate: false };
}

const NOW = sql<Date>`clock_timestamp()`;

async function refusalOf(
  transaction: Transaction,
  { profileId, maxAgeSeconds }: Inlet,
  { symbol, at }: Sent,
): Promise<Refusal | undefined> {
  const { rows } = await sql<{ ageMs: number; bound: boolean; overtaken: boolean }>`select
    (extract(epoch from clock_timestamp() - ${at}::timestamptz) * 1000)::float8 as "ageMs",
    exists (select from profile_symbols where profile_id = ${profileId} and symbol = ${symbol}) as bound,
    exists (select from signals where profile_id = ${profileId} and symbol = ${symbol} and state <> 'refused'
      and at > ${at}::timestamptz) as overtaken`.execute(transaction);
  const { ageMs = 0, bound = false, overtaken = false } = rows[0] ?? {};
  if (!bound) return { reason: 'signal-unknown-coin', numbers: { symbol } };
  if (ageMs > maxAgeSeconds * 1_000)
    return { reason: 'signal-late', numbers: { age: secondsText(ageMs), most: maxAgeSeconds } };
  if (ageMs < -SIGNAL_AHEAD_MS) return { reason: 'signal-ahead', numbers: { ahead: secondsText(-ageMs) } };
  return overtaken ? { reason: 'signal-overtaken', numbers: {} } : undefined;
}

const secondsText = (ms: number): string => (ms / 1_000).toFixed(1);

interface SignalOfCoin extends PendingSignal {
  readonly accountId: AccountId;
  readonly profileId: ProfileId;
  readonly symbol: string;
}

/** The signals of accounts that wait for an order and are still valid; at most one of each coin. */
export async function pendingSignals({ kysely }: Database, accountIds: readonly AccountId[]): Promise<SignalOfCoin[]> {
  if (accountIds.length === 0) return [];
  const { rows } = await sql<SignalOfCoin>`select signals.id, action, key, inlet_name as inlet, symbol,
    account_id as "accountId", profile_id as "profileId",
    (extract(epoch from clock_timestamp() - at) * 1000)::float8 as "ageMs",
    (extract(epoch from valid_until - clock_timestamp()) * 1000)::float8 as "validMs"
    from signals join profiles on profiles.id = profile_id
    where state = 'pending' and valid_until > clock_timestamp() and account_id = any(${[...accountIds]}::uuid[])
    order by received_at`.execute(kysely);
  return rows;
}

export async function answerSignal(database: Writer, { id, reason, numbers, ends }: SignalAnswer): Promise<void> {
  await database
    .updateTable('signals')
    .set({ reason, numbers: jsonText(numbers), ...(ends ? { state: 'ended', ended_at: NOW } : {}) })
    .where('id', '=', id)
    .where('state', '=', 'pending')
    .execute();
}

/** A pending signal that is too old reads as ended. */
const SHOWN_STATE = sql<State>`case when state = 'pending' and valid_until <= clock_timestamp() then 'ended' else state end`;

/** The newest signals of a profile, by their arrival. */
export const listSignals = (database: Reader, profileId: ProfileId, { limit }: { limit: number }) =>
  database
    .selectFrom('signals')
    .select(['id', 'inlet_name as inlet', 'key', 'symbol', 'action', 'at', 'received_at as receivedAt', 'reason'])
    .select(['valid_until as validUntil', 'numbers', 'order_id as orderId', SHOWN_STATE.as('state')])
    .where('profile_id', '=', profileId)
    .orderBy('received_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();

export interface SignalCount {
  readonly inletId: string;
  readonly state: State;
  /** Of refused signals. */
  readonly reason: string | null;
  readonly count: number;
  readonly lastAt: Date;
}

/** The stored signals of a profile by inlet, outcome and reason of the refusal; the most frequent first. */
export const countSignals = (database: Reader, profileId: ProfileId): Promise<SignalCount[]> =>
  database
    .selectFrom('signals')
    .select(['inlet_id as inletId', SHOWN_STATE.as('state')])
    .select(sql<string | null>`case when state = 'refused' then reason end`.as('reason'))
    .select([sql<number>`count(*)::int`.as('count'), sql<Date>`max(received_at)`.as('lastAt')])
    .where('profile_id', '=', profileId)
    .groupBy(sql`1, 2, 3`)
    .orderBy('count', 'desc')
    .orderBy(sql`2, 3`)
    .execute();

/** The signals of a coin that were in time, by the time at which they were sent, for a backtest. */
export async function recordedSignals(
  database: Reader,
  { profileId, symbol, from, to }: { profileId: ProfileId; symbol: string; from: Date; to: Date },
): Promise<ListedSignal[]> {
  const rows = await database
    .selectFrom('signals')
    .select(['symbol', 'action', 'key', 'at'])
    .where('profile_id', '=', profileId)
    .where('symbol', '=', symbol)
    .where('state', '<>', 'refused')
    .where('at', '>=', from)
    .where('at', '<', to)
    .orderBy('at')
    .execute();
  return rows.map(({ at, ...row }) => ({ ...row, atMs: at.getTime() }));
}
