import { newId, type ProfileId } from '#core/ids.ts';
import type { Reader, Writer } from '#storage/postgres/database.ts';
import { jsonText } from '#storage/postgres/json.ts';

const DIAGNOSES_KEPT = 50;

const selectRuns = (database: Reader, profileId: ProfileId) =>
  database
    .selectFrom('diagnosis_runs')
    .select(['id', 'status', 'report', 'error', 'started_at as startedAt', 'finished_at as finishedAt'])
    .where('profile_id', '=', profileId);

export const listDiagnoses = (database: Reader, profileId: ProfileId) =>
  selectRuns(database, profileId).orderBy('started_at', 'desc').limit(DIAGNOSES_KEPT).execute();

export const readDiagnosis = (database: Reader, profileId: ProfileId, id: string) =>
  selectRuns(database, profileId).where('id', '=', id).executeTakeFirst();

/** Stores a finished diagnosis, prunes older ones of the profile, and returns its id. */
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
  await database
    .deleteFrom('diagnosis_runs')
    .where('profile_id', '=', profileId)
    .where('id', 'not in', (kept) =>
      kept
        .selectFrom('diagnosis_runs')
        .select('id')
        .where('profile_id', '=', profileId)
        .orderBy('started_at', 'desc')
        .limit(DIAGNOSES_KEPT),
    )
    .execute();
  return id;
}
