import {
  listDiagnoses as selectDiagnoses,
  readDiagnosis as findDiagnosis,
  saveDiagnosis,
} from '#storage/history/diagnosis.ts';
import { notBound } from '#api/views/coins.ts';
import { auditChange } from '#api/audit.ts';
import { diagnosisReport, listDiagnoses, readDiagnosis, startDiagnosis } from '#api/contract/diagnosis.ts';
import { diagnose } from '#api/diagnosis/diagnosis.ts';
import type { Routes } from '#api/handle.ts';
import { ApiProblem } from '#api/frame/problem.ts';
import { requireAccount, requireProfile } from '#api/require.ts';

const view = ({ report, startedAt, finishedAt, ...run }: Awaited<ReturnType<typeof selectDiagnoses>>[number]) => ({
  ...run,
  // A report of an earlier release has another form and is returned as null.
  report: diagnosisReport.safeParse(report).data ?? null,
  startedAt: startedAt.toISOString(),
  finishedAt: finishedAt?.toISOString() ?? null,
});

export function mountDiagnosis({ context, handle }: Routes): void {
  const { database, now } = context;
  const { kysely } = database;

  handle(startDiagnosis, async ({ operator, caller, params, query }) => {
    const profile = await requireProfile(kysely, operator, params.id);
    const account = await requireAccount(kysely, operator, profile.accountId);
    if (query.symbol !== undefined && !profile.symbols.includes(query.symbol)) throw notBound(profile.id, query.symbol);
    const startedAt = now();
    const report = await diagnose(context, { account, profile, symbol: query.symbol });
    const run = { profileId: profile.id, report, startedAt, finishedAt: now() };
    const id = await database.transaction(async (transaction) => {
      const saved = await saveDiagnosis(transaction, run);
      const after = { verdict: report.verdict };
      await auditChange(transaction, { operator, caller }, { action: 'diagnosis.start', subject: profile.id, after });
      return saved;
    });
    const times = { startedAt: startedAt.toISOString(), finishedAt: run.finishedAt.toISOString() };
    return { id, status: 'done' as const, report, error: null, ...times };
  });
  handle(listDiagnoses, async ({ operator, params }) => {
    const { id } = await requireProfile(kysely, operator, params.id);
    return { runs: (await selectDiagnoses(kysely, id)).map(view) };
  });
  handle(readDiagnosis, async ({ operator, params }) => {
    const { id } = await requireProfile(kysely, operator, params.id);
    const run = await findDiagnosis(kysely, id, params.runId);
    if (run === undefined) throw new ApiProblem('not_found', `The profile has no diagnosis ${params.runId}.`);
    return view(run);
  });
}
