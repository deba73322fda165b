import { sql } from 'kysely';
import { newId, type ProfileId } from '#core/ids.ts';
import type { DryRunCoins, DryRunResult } from '#core/research/dry-run.ts';
import type { Reader, Writer } from '#storage/postgres/database.ts';
import { jsonText } from '#storage/postgres/json.ts';

/** Ended dry runs of a profile that are kept; a new one deletes older ones. */
const MAX_KEPT = 20;

interface NewDryRun {
  readonly profileId: ProfileId;
  readonly strategyName: string;
  readonly present: unknown;
  readonly changed: unknown;
  readonly coins: DryRunCoins;
  readonly decisions: number;
  readonly warnings: unknown;
}

/** Undefined when one of the profile already runs. The caller holds the lock of the profile. */
export async function createDryRun(writer: Writer, run: NewDryRun): Promise<string | undefined> {
  const { profileId } = run;
  await deleteOldest(writer, profileId);
  const row = await writer
    .insertInto('dry_runs')
    .values({
      id: newId<string>(),
      profile_id: profileId,
      strategy_name: run.strategyName,
      version: (versions) =>
        versions
          .selectFrom('profile_configs')
          .select(({ fn }) => fn.max('profile_configs.version').as('version'))
          .where('profile_configs.profile_id', '=', profileId),
      present: jsonText(run.present),
      changed: jsonText(run.changed),
      coins: jsonText(run.coins),
      decisions: run.decisions,
      warnings: jsonText(run.warnings),
    })
    .onConflict((conflict) => conflict.column('profile_id').where('state', '=', 'running').doNothing())
    .returning('id')
    .executeTakeFirst();
  return row?.id;
}

async function deleteOldest(writer: Writer, profileId: ProfileId): Promise<void> {
  await writer
    .deleteFrom('dry_runs')
    .where('profile_id', '=', profileId)
    .where('state', '<>', 'running')
    .where('id', 'not in', (kept) =>
      kept
        .selectFrom('dry_runs')
        .select('id')
        .where('profile_id', '=', profileId)
        .where('state', '<>', 'running')
        .orderBy('started_at', 'desc')
        .orderBy('id')
        .limit(MAX_KEPT - 1),
    )
    .execute();
}

const selectDryRuns = (reader: Reader) =>
  reader
    .selectFrom('dry_runs')
    .select([
      'id',
      'profile_id as profileId',
      'state',
      'strategy_name as strategyName',
      'version',
      'present',
      'changed',
    ])
    .select(['coins', 'decisions', 'warnings', 'error', 'started_at as startedAt', 'ended_at as endedAt']);

/** Newest first, with results that leave out what a list does not show. */
export const listDryRuns = (reader: Reader, profileId: ProfileId) =>
  selectDryRuns(reader)
    .select(sql<unknown>`result - 'coins' - 'assumptions'`.as('result'))
    .where('profile_id', '=', profileId)
    .orderBy('started_at', 'desc')
    .orderBy('id')
    .execute();
export type DryRunRow = Awaited<ReturnType<typeof listDryRuns>>[number];

/** With its whole result. */
export const readDryRun = (reader: Reader, profileId: ProfileId, id: string) =>
  selectDryRuns(reader).select('result').where('profile_id', '=', profileId).where('id', '=', id).executeTakeFirst();

/** A running one with what its evaluation needs; undefined when it has ended. */
export const readRunning = (reader: Reader, id: string) =>
  selectDryRuns(reader)
    .select(['opening', 'evaluated_to as evaluatedTo'])
    .where('id', '=', id)
    .where('state', '=', 'running')
    .executeTakeFirst();

export const listRunning = async (reader: Reader): Promise<string[]> =>
  (await reader.selectFrom('dry_runs').select('id').where('state', '=', 'running').execute()).map(({ id }) => id);

/** Keeps the opening that was stored first; undefined when the dry run has ended. */
export async function keepOpening(writer: Writer, id: string, opening: unknown): Promise<unknown> {
  const row = await writer
    .updateTable('dry_runs')
    .set({ opening: sql`coalesce(opening, ${jsonText(opening)}::jsonb)` })
    .where('id', '=', id)
    .where('state', '=', 'running')
    .returning('opening')
    .executeTakeFirst();
  return row?.opening;
}

/** Stores a later result, and the end of a finished one. False when it has ended, or another worker stored as late a result. */
export async function keepResult(
  writer: Writer,
  id: string,
  { result, finished }: { readonly result: DryRunResult; readonly finished: boolean },
): Promise<boolean> {
  const { numUpdatedRows } = await writer
    .updateTable('dry_runs')
    .set({ result: jsonText(result), evaluated_to: result.to })
    .$if(finished, (query) => query.set({ state: 'finished', ended_at: sql<Date>`now()` }))
    .where('id', '=', id)
    .where('state', '=', 'running')
    .where((row) => row.or([row('evaluated_to', 'is', null), row('evaluated_to', '<', new Date(result.to))]))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** False when it has ended before. */
export async function failDryRun(writer: Writer, id: string, error: string): Promise<boolean> {
  const { numUpdatedRows } = await writer
    .updateTable('dry_runs')
    .set({ state: 'failed', error, ended_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where('state', '=', 'running')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Ends a dry run by the operator. False when it was promoted or dropped before, or may not be promoted because it failed. */
export async function decideDryRun(writer: Writer, id: string, state: 'promoted' | 'dropped'): Promise<boolean> {
  const open = state === 'promoted' ? (['running', 'finished'] as const) : (['running', 'finished', 'failed'] as const);
  const { numUpdatedRows } = await writer
    .updateTable('dry_runs')
    .set({ state, error: null, ended_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where('state', 'in', open)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
