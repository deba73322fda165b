import { sql, type UpdateObject } from 'kysely';
import type { ProfileId } from '#core/ids.ts';
import { type LiveComparison, liveComparison } from '#core/research/live-comparison.ts';
import type { Database, Reader, Writer } from '#storage/postgres/database.ts';
import { jsonText } from '#storage/postgres/json.ts';
import type { Tables } from '#storage/postgres/tables.ts';

/** The newest comparison of a profile; stored parts that do not parse count as missing. */
export async function readComparison(reader: Reader, profileId: ProfileId) {
  const row = await reader
    .selectFrom('live_comparisons')
    .select(['requested_at as requestedAt', 'error', 'reference', 'day'])
    .where('profile_id', '=', profileId)
    .executeTakeFirst();
  const { requestedAt = null, error = null, ...stored } = row ?? {};
  return { requestedAt, error, ...(liveComparison.safeParse(stored).data ?? { reference: null, day: null }) };
}

const saveComparison = (
  writer: Writer,
  profileId: ProfileId,
  columns: UpdateObject<Tables, 'live_comparisons'>,
): Promise<unknown> =>
  writer
    .insertInto('live_comparisons')
    .values({ ...columns, profile_id: profileId })
    .onConflict((conflict) => conflict.column('profile_id').doUpdateSet(columns))
    .execute();

export const requestComparison = (writer: Writer, id: ProfileId): Promise<unknown> =>
  saveComparison(writer, id, { requested_at: sql<Date>`now()` });

/** Replaces the previous comparison. */
export const keepComparison = (writer: Writer, id: ProfileId, { reference, day }: LiveComparison): Promise<unknown> =>
  saveComparison(writer, id, {
    ...{ requested_at: null, error: null },
    ...{ reference: jsonText(reference), day: jsonText(day) },
  });

/** Keeps the previous comparison, with the reason why there is no newer one. */
export const failComparison = (writer: Writer, id: ProfileId, error: string): Promise<unknown> =>
  saveComparison(writer, id, { requested_at: null, error: error.slice(0, 2_000) });

export async function readGateBars(reader: Reader, id: ProfileId): Promise<unknown> {
  return (await reader.selectFrom('profiles').select('gate_bars').where('id', '=', id).executeTakeFirst())?.gate_bars;
}

export const saveGateBars = (writer: Writer, id: ProfileId, bars: unknown): Promise<unknown> =>
  writer
    .updateTable('profiles')
    .set({ gate_bars: jsonText(bars) })
    .where('id', '=', id)
    .execute();

/** The newest finished run of exactly one config of a coin, with its result without the long lists. */
export async function findTested(
  reader: Reader,
  { profileId, symbol, fingerprint }: { profileId: ProfileId; symbol: string; fingerprint: string },
) {
  return reader
    .selectFrom('research')
    .select(['id', 'finished_at as finishedAt'])
    .select(
      sql<unknown>`(results -> ${symbol}) - '{fills,cycles,rejections,equityCurve,dailyEquity}'::text[]`.as('result'),
    )
    .where('profile_id', '=', profileId)
    .where('state', '=', 'done')
    .where(sql<boolean>`config_fingerprints ->> ${symbol} = ${fingerprint}`)
    .where(sql<boolean>`results ? ${symbol}`)
    .orderBy('finished_at', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Profiles to compare: enabled ones, and those with a reference backtest. */
export async function listCompared(reader: Reader): Promise<ProfileId[]> {
  const pinned = reader.selectFrom('research').select('profile_id').where('pinned', '=', true);
  const profiles = reader.selectFrom('profiles').select('id');
  const rows = await profiles
    .where((where) => where.or([where('enabled', '=', true), where('id', 'in', pinned.where('state', '=', 'done'))]))
    .execute();
  return rows.map(({ id }) => id);
}

/** Positions that were opened and closed since, in order of recording time, because markets have their own clocks. */
export async function cyclesSince({ kysely }: Database, profileId: ProfileId, since: Date) {
  const { rows } = await sql<{ net: string; bought: string }>`
    select cycle.net, sum(fills.quote_quantity) filter (where side = 'buy') as bought
    from closed_cycles as cycle join fills using (profile_id, symbol, cycle)
    where profile_id = ${profileId}
    group by profile_id, symbol, cycle.cycle, cycle.net, closed_at
    having min(fills.recorded_at) >= ${since} and sum(fills.quote_quantity) filter (where side = 'buy') > 0
    order by closed_at`.execute(kysely);
  return rows.map(({ net, bought }) => ({ net: Number(net), share: Number(net) / Number(bought) }));
}

/** Slippage of each market order against the decision price, in basis points. */
export async function slippagesSince({ kysely }: Database, profileId: ProfileId, since: Date): Promise<number[]> {
  const { rows } = await sql<{ bps: string }>`
    select case side when 'buy' then 1 else -1 end
      * (filled_quote / filled_quantity / (decision #>> '{numbers,price}')::numeric - 1) * 10000 as bps
    from orders
    where profile_id = ${profileId} and type = 'market' and filled_quantity > 0 and recorded_at >= ${since}
      and decision #>> '{numbers,price}' ~ '^[0-9.]*[1-9][0-9.]*$'
    order by created_at`.execute(kysely);
  return rows.map(({ bps }) => Number(bps));
}

interface CoinDay {
  readonly profileId: ProfileId;
  readonly symbol: string;
  readonly from: Date;
  readonly to: Date;
}

/** When the position that was held at `from` was opened; null when there was none. */
export async function heldSince({ kysely }: Database, { profileId, symbol, from }: CoinDay): Promise<Date | null> {
  const { rows } = await sql<{ opened: Date | null; closed: Date | null }>`
    select min(at) as opened, (select closed_at from closed_cycles as done
      where done.profile_id = ${profileId} and done.symbol = ${symbol} and done.cycle = fills.cycle) as closed
    from fills where profile_id = ${profileId} and symbol = ${symbol} and at < ${from}
    group by cycle order by cycle desc limit 1`.execute(kysely);
  const [row] = rows;
  return row === undefined || (row.closed !== null && row.closed <= from) ? null : row.opened;
}

/**
 * What live trading did in a period, oldest first and in ms: rows of the decision log that overlap it, and orders that
 * filled in it, each at its average price.
 */
export async function readLiveDay({ kysely }: Database, { profileId, symbol, from, to }: CoinDay) {
  const decisions = await sql<{ reason: string; sentence: string; first: Date; last: Date }>`
    select coalesce(ctx #>> '{approval,reason}', ctx ->> 'reason') as reason, msg as sentence,
      first_at as first, last_at as last
    from action_logs
    where profile_id = ${profileId} and symbol = ${symbol} and ctx ->> 'event' = 'decision'
      and last_at >= ${from} and first_at <= ${to}
    order by first_at, id`.execute(kysely);
  const trades = await sql<{ at: Date; side: 'buy' | 'sell'; quantity: string; price: string; reason: string }>`
    select min(fills.at) as at, fills.side, orders.reason, sum(fills.quantity) as quantity,
      round(sum(fills.quote_quantity) / sum(fills.quantity), 12)::text as price
    from fills join orders on orders.id = fills.order_id
    where fills.profile_id = ${profileId} and fills.symbol = ${symbol} and fills.at >= ${from} and fills.at <= ${to}
    group by fills.order_id, fills.side, orders.reason
    order by 1`.execute(kysely);
  return {
    ...{ fromMs: from.getTime(), toMs: to.getTime() },
    decisions: decisions.rows.map(({ first, last, ...row }) => {
      return { ...row, firstMs: first.getTime(), lastMs: last.getTime() };
    }),
    trades: trades.rows.map(({ at, ...row }) => ({ ...row, atMs: at.getTime() })),
  };
}

/** A profile for a job: its config, and the account that determines the venue. */
export const readChecked = (reader: Reader, id: ProfileId) =>
  reader
    .selectFrom('profiles')
    .innerJoin('accounts', 'accounts.id', 'profiles.account_id')
    .select(['account_id as accountId', 'strategy_name as strategyName', 'config', 'endpoint'])
    .select('binance_mode as exchangeMode')
    .where('profiles.id', '=', id)
    .executeTakeFirst();
