import { sql } from 'kysely';
import type { ProfileId } from '#core/ids.ts';
import type { Reader, Writer } from './database.ts';
import { jsonText } from './json.ts';

export type ReportKind = 'drift' | 'shadow';

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

/** Takes the place of the report before; of a failure that one stays, with the sentence beside it. */
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

/** The newest finished run of exactly one config of a coin, with its result less the long lists. */
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
