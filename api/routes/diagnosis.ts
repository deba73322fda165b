import {
  listDiagnoses as selectDiagnoses,
  readDiagnosis as findDiagnosis,
  saveDiagnosis,
} from '#storage/history/diagnosis.ts';
import { diagnosisReport, listDiagnoses, readDiagnosis, startDiagnosis } from '#api/contract/diagnosis.ts';
import { diagnose } from '#api/diagnosis/diagnosis.ts';
import type { Routes } from '#api/handle.ts';
import { ApiProblem } from '#api/frame/problem.ts';
import { notBound } from '#api/require.ts';

const view = ({ report, startedAt, finishedAt, ...run }: Awaited<ReturnType<typeof selectDiagnoses>>[number]) => ({
  ...run,
  // A report of an earlier release has another form and is returned as null.
  report: diagnosisReport.safeParse(report).data ?? null,
  startedAt,
  finishedAt,
});

export function mountDiagnosis({ context, handle }: Routes): void {
  const { now } = context;
  const { kysely } = context.database;

  handle(startDiagnosis, async ({ profile, readAccount, commit, query }) => {
    const account = await readAccount();
    if (query.symbol !== undefined && !profile.symbols.includes(query.symbol)) throw notBound(profile.id, query.symbol);
    const startedAt = now();
    const report = await diagnose(context, { account, profile, symbol: query.symbol });
    const run = { profileId: profile.id, report, startedAt, finishedAt: now() };
    const id = await commit(async ({ transaction }) => ({
      answer: await saveDiagnosis(transaction, run),
      after: { verdict: report.verdict },
    }));
    const times = { startedAt, finishedAt: run.finishedAt };
    return { id, status: 'done' as const, report, error: null, ...times };
  });
  handle(listDiagnoses, async ({ profile }) => ({
    runs: (await selectDiagnoses(kysely, profile.id)).map(view),
  }));
  handle(readDiagnosis, async ({ profile, params }) => {
    const run = await findDiagnosis(kysely, profile.id, params.runId);
    if (run === undefined) throw new ApiProblem('not_found', `The profile has no diagnosis ${params.runId}.`);
    return view(run);
  });
}
