import { type SqlBool, sql } from 'kysely';
import { type DiscoveryConfig, readDiscoveryConfig } from '#core/research/discovery.ts';
import { type AccountId, newId, type ProfileId } from '#core/ids.ts';
import { LIVE_ORDER_STATES } from '#core/order/order.ts';
import type { Reader, Writer } from '#storage/postgres/database.ts';
import { jsonText } from '#storage/postgres/json.ts';
import { type PageCursor, pageOf, placeOf } from '#storage/postgres/pages.ts';

export async function readDiscovery(reader: Reader, profileId: ProfileId): Promise<DiscoveryConfig> {
  const row = await reader.selectFrom('profiles').select('discovery').where('id', '=', profileId).executeTakeFirst();
  return readDiscoveryConfig(row?.discovery ?? {});
}

export async function saveDiscovery(writer: Writer, profileId: ProfileId, config: DiscoveryConfig): Promise<void> {
  await writer
    .updateTable('profiles')
    .set({ discovery: jsonText(config) })
    .where('id', '=', profileId)
    .execute();
}

/** Profiles with coin discovery enabled, and the time of their last round. */
export async function listDiscovering(reader: Reader) {
  const rows = await reader
    .selectFrom('profiles')
    .select(['id as profileId', 'account_id as accountId', 'discovery'])
    .select((row) =>
      row
        .selectFrom('discovery_cycles')
        .select((cycle) => cycle.fn.max('at').as('at'))
        .whereRef('profile_id', '=', 'profiles.id')
        .as('lastAt'),
    )
    .where(sql<SqlBool>`discovery @> '{"enabled": true}'`)
    .execute();
  return rows.map(({ discovery, ...row }) => ({ ...row, config: readDiscoveryConfig(discovery) }));
}

/** Coins of a profile with the time when they were bound, and whether they have a position or a live order. */
export const listTenures = (reader: Reader, profileId: ProfileId) =>
  reader
    .selectFrom('profile_symbols as bound')
    .select(['symbol', 'created_at as boundAt'])
    .select(
      sql<boolean>`exists (select from runner_states runner where runner.profile_id = bound.profile_id
          and runner.symbol = bound.symbol and runner.quantity > 0)
        or exists (select from orders where orders.profile_id = bound.profile_id and orders.symbol = bound.symbol
          and orders.state in (${sql.join(LIVE_ORDER_STATES)}))`.as('inUse'),
    )
    .where('profile_id', '=', profileId)
    .orderBy('created_at')
    .orderBy('symbol')
    .execute();

/** Coins that the other profiles of an account have bound. */
export async function listSiblings(reader: Reader, accountId: AccountId, except: ProfileId): Promise<string[]> {
  const rows = await reader
    .selectFrom('profile_symbols')
    .innerJoin('profiles', 'profiles.id', 'profile_id')
    .select('symbol')
    .where('account_id', '=', accountId)
    .where('profile_id', '!=', except)
    .execute();
  return rows.map(({ symbol }) => symbol);
}

export async function saveCycle(
  writer: Writer,
  cycle: { readonly profileId: ProfileId; readonly at: Date; readonly error: string | null; readonly result: unknown },
): Promise<void> {
  const { profileId, at, error, result } = cycle;
  await writer
    .insertInto('discovery_cycles')
    .values({ id: newId<string>(at.getTime()), profile_id: profileId, at, error, result: jsonText(result) })
    .execute();
}

/** Rounds are kept for half a year. */
export async function pruneCycles(writer: Writer, before: Date): Promise<void> {
  await writer.deleteFrom('discovery_cycles').where('at', '<', before).execute();
}

/** One page of rounds, newest first. */
export async function pageCyclesOf(
  reader: Reader,
  profileId: ProfileId,
  { limit, cursor }: { readonly limit: number; readonly cursor?: PageCursor | undefined },
) {
  const rows = await reader
    .selectFrom('discovery_cycles')
    .select(['id', 'at', 'error', 'result', placeOf('at')])
    .where('profile_id', '=', profileId)
    .where((row) =>
      cursor === undefined ? row.and([]) : sql<SqlBool>`(at, id) < (${cursor.at}::timestamptz, ${cursor.id}::uuid)`,
    )
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute();
  const { shown, next } = pageOf(rows, limit);
  return { rows: [...shown], next };
}
