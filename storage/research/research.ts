import { sql } from 'kysely';
import { newId, type ProfileId } from '#core/ids.ts';
import type { StoredMetrics, StoredResult } from '#core/research/backtest-result.ts';
import type { StoredRunRequest, SweepRequest } from '#core/research/research.ts';
import type { Reader, Transaction, Writer } from '#storage/postgres/database.ts';
import { jsonText } from '#storage/postgres/json.ts';

type ResearchState = 'queued' | 'running' | 'done' | 'failed' | 'aborted';
export type ResearchKind = 'backtest' | 'sweep';

export const OPEN_STATES = ['queued', 'running'] as const;
/** Number of finished unpinned ones of a kind that are kept; a new one deletes older ones. */
const MAX_KEPT = 100;

interface NewResearch {
  readonly profileId: ProfileId;
  readonly strategyName: string;
  readonly config: unknown;
  readonly request: unknown;
  readonly warnings: unknown;
}

const rowOf = (kind: ResearchKind, { profileId, strategyName, config, request, warnings }: NewResearch) => ({
  id: newId<string>(),
  profile_id: profileId,
  kind,
  strategy_name: strategyName,
  config: jsonText(config),
  request: jsonText(request),
  warnings: jsonText(warnings),
});

export async function createRun(
  writer: Writer,
  run: NewResearch & { readonly fingerprints: unknown },
): Promise<string> {
  const row = { ...rowOf('backtest', run), config_fingerprints: jsonText(run.fingerprints) };
  await writer.insertInto('research').values(row).execute();
  await deleteOldest(writer, 'backtest', run.profileId);
  return row.id;
}

/** Deletes the oldest finished and unpinned ones. */
async function deleteOldest(writer: Writer, kind: ResearchKind, profileId: ProfileId): Promise<void> {
  await writer
    .deleteFrom('research')
    .where('profile_id', '=', profileId)
    .where('kind', '=', kind)
    .where('pinned', '=', false)
    .where('state', 'not in', OPEN_STATES)
    .where('id', 'not in', (kept) =>
      kept
        .selectFrom('research')
        .select('id')
        .where('profile_id', '=', profileId)
        .where('kind', '=', kind)
        .where('pinned', '=', false)
        .orderBy('created_at', 'desc')
        .limit(MAX_KEPT),
    )
    .execute();
}

/** The columns that all kinds share. */
const selectResearch = (reader: Reader) =>
  reader
    .selectFrom('research')
    .select(['id', 'profile_id as profileId', 'state', 'strategy_name as strategyName', 'config', 'request'])
    .select(['warnings', 'error', 'created_at as createdAt', 'finished_at as finishedAt']);
export type ResearchRow = Awaited<ReturnType<ReturnType<typeof selectResearch>['execute']>>[number];

const selectRuns = (reader: Reader, profileId: ProfileId) =>
  selectResearch(reader)
    .select(['pinned', 'config_fingerprints as fingerprints'])
    .$narrowType<{ request: StoredRunRequest }>()
    .where('kind', '=', 'backtest')
    .where('profile_id', '=', profileId);

/** Newest first, without their fills. */
export const listRuns = (reader: Reader, profileId: ProfileId) =>
  selectRuns(reader, profileId)
    .select(
      sql<
        Record<string, StoredMetrics>
      >`(select coalesce(jsonb_object_agg(key, value -> 'metrics'), '{}') from jsonb_each(results))`.as('metrics'),
    )
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(MAX_KEPT * 2)
    .execute();
export type RunRow = Awaited<ReturnType<typeof listRuns>>[number];

export const readRun = (reader: Reader, profileId: ProfileId, id: string) =>
  selectRuns(reader, profileId).select('results').where('id', '=', id).executeTakeFirst();

export const readRobustness = async (reader: Reader, id: string): Promise<unknown> =>
  (await reader.selectFrom('research').select('robustness').where('id', '=', id).executeTakeFirst())?.robustness;

export const saveRobustness = (writer: Writer, id: string, robustness: unknown): Promise<unknown> =>
  writer
    .updateTable('research')
    .set({ robustness: jsonText(robustness) })
    .where('id', '=', id)
    .execute();

/** A run of any profile, for jobs. */
export const readAnyRun = (reader: Reader, id: string) =>
  reader
    .selectFrom('research')
    .select(['profile_id as profileId', 'state', 'strategy_name as strategyName', 'config', 'request', 'results'])
    .where('kind', '=', 'backtest')
    .where('id', '=', id)
    .executeTakeFirst();

/** False when there is none, or it still runs. */
export async function deleteRun(writer: Writer, profileId: ProfileId, id: string): Promise<boolean> {
  const deleted = await writer
    .deleteFrom('research')
    .where('profile_id', '=', profileId)
    .where('id', '=', id)
    .where('state', 'not in', OPEN_STATES)
    .executeTakeFirst();
  return deleted.numDeletedRows > 0n;
}

export async function pinRun(writer: Writer, profileId: ProfileId, { id, pinned }: { id: string; pinned: boolean }) {
  await writer
    .updateTable('research')
    .set({ pinned, pinned_at: pinned ? sql<Date>`coalesce(pinned_at, now())` : null })
    .where('profile_id', '=', profileId)
    .where('id', '=', id)
    .execute();
}

/** The run that was pinned last; live trading is compared with it. */
export const readPinned = (reader: Reader, profileId: ProfileId) =>
  selectRuns(reader, profileId)
    .select(['pinned_at as pinnedAt', 'results'])
    .where('pinned', '=', true)
    .where('state', '=', 'done')
    .orderBy('pinned_at', 'desc')
    .limit(1)
    .executeTakeFirst();

/** False when there is nothing to stop. */
export async function abortResearch(writer: Writer, { profileId, id }: { profileId: ProfileId; id: string }) {
  const stopped = await writer
    .updateTable('research')
    .set({ state: 'aborted', finished_at: sql<Date>`now()` })
    .where('profile_id', '=', profileId)
    .where('id', '=', id)
    .where('state', 'in', OPEN_STATES)
    .executeTakeFirst();
  return stopped.numUpdatedRows > 0n;
}

export async function stateOf(reader: Reader, id: string): Promise<ResearchState | undefined> {
  return (await reader.selectFrom('research').select('state').where('id', '=', id).executeTakeFirst())?.state;
}

/** Marks a run as running and returns it; undefined when it is finished, stopped or gone. */
export const startRun = (writer: Writer, id: string) =>
  writer
    .updateTable('research')
    .set({ state: 'running' })
    .where('kind', '=', 'backtest')
    .where('id', '=', id)
    .where('state', 'in', OPEN_STATES)
    .returning(['profile_id as profileId', 'strategy_name as strategyName', 'config', 'request', 'results'])
    .executeTakeFirst();

/** Adds the result of one coin. */
export async function addResult(
  writer: Writer,
  id: string,
  { symbol, result }: { symbol: string; result: StoredResult },
) {
  const resultText = jsonText({ [symbol]: result });
  await writer
    .updateTable('research')
    .set({ results: sql<string>`results || ${resultText}::jsonb` })
    .where('id', '=', id)
    .execute();
}

export async function finishResearch(
  writer: Writer,
  { id, state, error }: { id: string; state: 'done' | 'failed'; error?: string },
) {
  await writer
    .updateTable('research')
    .set({ state, error: error ?? null, finished_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where('state', 'in', OPEN_STATES)
    .execute();
}

export interface Unit {
  readonly sweepId: string;
  readonly stage: number;
  readonly number: number;
}

/** Creates a sweep with the units of its first stage; a walk-forward has a stage with the same units for each fold. */
export async function createSweep(
  writer: Writer,
  sweep: NewResearch & { readonly units: readonly (readonly number[])[]; readonly folds?: number },
) {
  const row = { ...rowOf('sweep', sweep), sets: sweep.units.flat().length };
  await writer.insertInto('research').values(row).execute();
  await addUnits(writer, { sweepId: row.id, stages: { first: 0, last: sweep.folds ?? 0 } }, sweep.units);
  await deleteOldest(writer, 'sweep', sweep.profileId);
  return row.id;
}

interface Stages {
  readonly first: number;
  readonly last: number;
}

/** Adds the same units to each of the stages, in one statement whose text does not grow with their number. */
export async function addUnits(
  writer: Writer,
  { sweepId, stages }: { readonly sweepId: string; readonly stages: Stages },
  units: readonly (readonly number[])[],
) {
  await sql`
    insert into sweep_units (sweep_id, stage, number, sets)
    select ${sweepId}, stage, unit.place - 1, unit.sets
    from generate_series(${stages.first}::integer, ${stages.last}::integer) as stage,
      jsonb_array_elements(${jsonText(units)}::jsonb) with ordinality as unit (sets, place)`.execute(writer);
}

/** Job data of each unit, stage by stage. */
export const unitJobs = (sweepId: string, { first, last }: Stages, units: readonly unknown[]): Unit[] =>
  Array.from({ length: last - first + 1 }, (_, i) =>
    units.map((_sets, number) => ({ sweepId, stage: first + i, number })),
  ).flat();

const selectSweeps = (reader: Reader) =>
  selectResearch(reader)
    .select(['sets', 'result'])
    .$narrowType<{ request: SweepRequest; sets: number }>()
    .where('kind', '=', 'sweep')
    .select((row) => [
      row
        .selectFrom('sweep_units')
        .whereRef('sweep_id', '=', 'research.id')
        .select(sql<number>`count(*)::int`.as('n'))
        .as('units'),
      row
        .selectFrom('sweep_units')
        .whereRef('sweep_id', '=', 'research.id')
        .select(sql<number>`count(done_at)::int`.as('n'))
        .as('unitsDone'),
    ]);

export const listSweeps = (reader: Reader, profileId: ProfileId) =>
  selectSweeps(reader).where('profile_id', '=', profileId).orderBy('created_at', 'desc').limit(MAX_KEPT).execute();
export type SweepView = Awaited<ReturnType<typeof listSweeps>>[number];

export const readSweep = (reader: Reader, id: string) => selectSweeps(reader).where('id', '=', id).executeTakeFirst();

/** The sets of an unfinished unit; marks its sweep as running. Undefined when there is nothing to do. */
export async function claimUnit(writer: Writer, { sweepId, stage, number }: Unit) {
  const unit = await writer
    .selectFrom('sweep_units')
    .select('sets')
    .where('sweep_id', '=', sweepId)
    .where('stage', '=', stage)
    .where('number', '=', number)
    .where('done_at', 'is', null)
    .executeTakeFirst();
  if (unit === undefined) return undefined;
  const sweep = await writer
    .updateTable('research')
    .set({ state: 'running' })
    .where('id', '=', sweepId)
    .where('state', 'in', OPEN_STATES)
    .returning(['profile_id as profileId', 'strategy_name as strategyName', 'config', 'request'])
    .executeTakeFirst();
  return sweep === undefined ? undefined : { ...sweep, sets: unit.sets };
}

/**
 * Stores the result of a unit, unless another worker was first, and counts its sets as trials, even if the sweep is aborted.
 * Later stages of halving evaluate the same sets again.
 */
export async function finishUnit(
  writer: Writer,
  { sweepId, stage, number }: Unit,
  { evaluated, trials, worker }: { evaluated: unknown; trials: number; worker: string },
): Promise<void> {
  await sql`
    with done as (
      update sweep_units set evaluated = ${jsonText(evaluated)}, worker = ${worker}, done_at = now()
      where sweep_id = ${sweepId} and stage = ${stage} and number = ${number} and done_at is null
      returning stage
    )
    insert into trial_ledger (source_id, strategy_name, symbol, trials)
    select id, strategy_name, request #>> '{coin,symbol}', ${trials}::integer
    from done join research on id = ${sweepId} where done.stage = 0
    on conflict (source_id) do update set trials = trial_ledger.trials + excluded.trials`.execute(writer);
}

/** The last stage of a running sweep whose units are all done, locked until the transaction ends; undefined otherwise. */
export async function lockEndedStage(transaction: Transaction, sweepId: string): Promise<number | undefined> {
  const sweep = await transaction
    .selectFrom('research')
    .select('state')
    .where('id', '=', sweepId)
    .forUpdate()
    .executeTakeFirst();
  if (sweep?.state !== 'running') return undefined;
  const units = await transaction
    .selectFrom('sweep_units')
    .select([sql<number>`max(stage)`.as('stage'), sql<boolean>`bool_and(done_at is not null)`.as('done')])
    .where('sweep_id', '=', sweepId)
    .executeTakeFirst();
  return units?.done === true ? units.stage : undefined;
}

/** Results of the units of a stage, in order. */
export const readUnits = (reader: Reader, { sweepId, stage }: Pick<Unit, 'sweepId' | 'stage'>) =>
  reader
    .selectFrom('sweep_units')
    .select(['number', 'sets', 'evaluated', 'worker'])
    .where('sweep_id', '=', sweepId)
    .where('stage', '=', stage)
    .orderBy('number')
    .execute();

export async function keepSweepResult(writer: Writer, id: string, result: unknown) {
  await writer
    .updateTable('research')
    .set({ result: jsonText(result) })
    .where('id', '=', id)
    .execute();
  await finishResearch(writer, { id, state: 'done' });
}

/** How many sets a sweep has tried. */
export async function readTrials(reader: Reader, sweepId: string): Promise<number> {
  const row = await reader
    .selectFrom('trial_ledger')
    .select('trials')
    .where('source_id', '=', sweepId)
    .executeTakeFirst();
  return row?.trials ?? 0;
}

/** Number of sets of a sweep that are not valid configs, from the units of its first stage. */
export async function readRefusedSets(reader: Reader, sweepId: string) {
  const { count, example } = await reader
    .selectFrom('sweep_units')
    .select(sql<number>`coalesce(sum((evaluated #>> '{refused,count}')::integer), 0)::integer`.as('count'))
    .select(sql<string | null>`min(evaluated #>> '{refused,example}')`.as('example'))
    .where('sweep_id', '=', sweepId)
    .where('stage', '=', 0)
    .executeTakeFirstOrThrow();
  return { count, example };
}

/** Number of sets tried on a question, without those of one sweep. */
export async function otherTrials(
  reader: Reader,
  { sweepId, strategyName, symbol }: { sweepId: string; strategyName: string; symbol: string },
): Promise<number> {
  const { trials } = await reader
    .selectFrom('trial_ledger')
    .select(sql<number>`coalesce(sum(trials), 0)::int`.as('trials'))
    // Every version of a file counts: changing code until the past looks good is a search, too.
    .where(sql`split_part(strategy_name, '@', 1)`, '=', strategyName.split('@', 1)[0] ?? strategyName)
    .where('symbol', '=', symbol)
    .where('source_id', '!=', sweepId)
    .executeTakeFirstOrThrow();
  return trials;
}

/** The trial ledger by question, the newest first. */
export const listTrials = (reader: Reader) =>
  reader
    .selectFrom('trial_ledger')
    .select(['strategy_name as strategyName', 'symbol'])
    .select([sql<number>`sum(trials)::int`.as('trials'), sql<number>`count(*)::int`.as('sweeps')])
    .select(sql<Date>`max(at)`.as('lastAt'))
    .groupBy(['strategy_name', 'symbol'])
    .orderBy('lastAt', 'desc')
    .execute();
