import { sql } from 'kysely';
import type { ProfileId } from '#core/ids.ts';
import type { Database, Reader, Writer } from '#storage/postgres/database.ts';
import { jsonText } from '#storage/postgres/json.ts';

type ReportKind = 'drift' | 'shadow';

export const readReport = (reader: Reader, profileId: ProfileId, kind: ReportKind) =>
  reader
    .selectFrom('profile_reports')
    .select(['requested_at as requestedAt', 'error', 'report'])
    .where('profile_id', '=', profileId)
    .where('kind', '=', kind)
    .executeTakeFirst();

export const requestReport = (writer: Writer, profileId: ProfileId, kind: ReportKind): Promise<unknown> =>
  writer
    .insertInto('profile_reports')
    .values({ profile_id: profileId, kind, requested_at: sql<Date>`now()` })
    .onConflict((conflict) => conflict.columns(['profile_id', 'kind']).doUpdateSet({ requested_at: sql<Date>`now()` }))
    .execute();

/** Replaces the previous report. A failure keeps the previous report and adds its sentence. */
export async function keepReport(
  writer: Writer,
  { profileId, kind }: { readonly profileId: ProfileId; readonly kind: ReportKind },
  ended: { readonly report: unknown } | { readonly error: string },
): Promise<void> {
  const columns =
    'report' in ended ? { report: jsonText(ended.report), error: null } : { error: ended.error.slice(0, 2_000) };
  await writer
    .insertInto('profile_reports')
    .columns(['profile_id', 'kind', 'report', 'error'])
    .values({ profile_id: profileId, kind, ...columns })
    .onConflict((conflict) => conflict.columns(['profile_id', 'kind']).doUpdateSet({ ...columns, requested_at: null }))
    .execute();
}

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
    .selectFrom('backtest_runs')
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

/** Profiles that have a pinned backtest. */
export const listPinning = async (reader: Reader): Promise<ProfileId[]> => {
  const runs = reader.selectFrom('backtest_runs').select('profile_id').distinct();
  return (await runs.where('pinned', '=', true).where('state', '=', 'done').execute()).map((row) => row.profile_id);
};

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

/** Decision log rows that overlap a period, oldest first: reason, sentence and time range. */
export async function decisionsOf({ kysely }: Database, { profileId, symbol, from, to }: CoinDay) {
  const { rows } = await sql<{ reason: string; sentence: string; firstAt: Date; lastAt: Date }>`
    select coalesce(ctx #>> '{approval,reason}', ctx ->> 'reason') as reason, msg as sentence,
      first_at as "firstAt", last_at as "lastAt"
    from action_logs
    where profile_id = ${profileId} and symbol = ${symbol} and ctx ->> 'event' = 'decision'
      and last_at >= ${from} and first_at <= ${to}
    order by first_at, id`.execute(kysely);
  return rows;
}

/** Orders that filled in a period, oldest first, each at its average price. */
export async function tradesOf({ kysely }: Database, { profileId, symbol, from, to }: CoinDay) {
  const { rows } = await sql<{ at: Date; side: 'buy' | 'sell'; quantity: string; price: string; reason: string }>`
    select min(fills.at) as at, fills.side, orders.reason, sum(fills.quantity) as quantity,
      round(sum(fills.quote_quantity) / sum(fills.quantity), 12)::text as price
    from fills join orders on orders.id = fills.order_id
    where fills.profile_id = ${profileId} and fills.symbol = ${symbol} and fills.at >= ${from} and fills.at <= ${to}
    group by fills.order_id, fills.side, orders.reason
    order by 1`.execute(kysely);
  return rows;
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

export const listEnabled = async (reader: Reader): Promise<ProfileId[]> =>
  (await reader.selectFrom('profiles').select('id').where('enabled', '=', true).execute()).map(({ id }) => id);
