import { newId, type ProfileId } from '#core/ids.ts';
import type { Reader, Writer } from './database.ts';
import { jsonText } from './json.ts';

const selectRuns = (database: Reader, profileId: ProfileId) =>
  database
    .selectFrom('diagnosis_runs')
    .select(['id', 'status', 'report', 'error', 'started_at as startedAt', 'finished_at as finishedAt'])
    .where('profile_id', '=', profileId);

export const listDiagnoses = (database: Reader, profileId: ProfileId, limit: number) =>
  selectRuns(database, profileId).orderBy('started_at', 'desc').limit(limit).execute();

export const readDiagnosis = (database: Reader, profileId: ProfileId, id: string) =>
  selectRuns(database, profileId).where('id', '=', id).executeTakeFirst();

/** Keeps a finished diagnosis and returns its id. */
export async function saveDiagnosis(
  database: Writer,
  run: { readonly profileId: ProfileId; readonly report: unknown; readonly startedAt: Date; readonly finishedAt: Date },
): Promise<string> {
  const id = newId<string>(run.startedAt.getTime());
  const { profileId, report, startedAt, finishedAt } = run;
  const times = { started_at: startedAt, finished_at: finishedAt };
  await database
    .insertInto('diagnosis_runs')
    .values({ id, profile_id: profileId, status: 'done', report: jsonText(report), error: null, ...times })
    .execute();
  return id;
}
