import {
  listDiagnoses as selectDiagnoses,
  readDiagnosis as findDiagnosis,
  saveDiagnosis,
} from '#storage/history/diagnosis.ts';
import {
  type DiagnosisReport,
  diagnosisReport,
  listDiagnoses,
  readBlocks,
  readDiagnosis,
  startDiagnosis,
} from '#api/contract/diagnosis.ts';
import { diagnose } from '#api/diagnosis/diagnosis.ts';
import type { Incoming, Routes } from '#api/handle.ts';
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
  type Asked = Pick<Incoming<typeof readBlocks>, 'profile' | 'readAccount' | 'query'>;
  const report = async ({ profile, readAccount, query: { symbol } }: Asked): Promise<DiagnosisReport> => {
    if (symbol !== undefined && !profile.symbols.includes(symbol)) throw notBound(profile.id, symbol);
    return diagnose(context, { account: await readAccount(), profile, symbol });
  };

  handle(readBlocks, report);
  handle(startDiagnosis, async (incoming) => {
    const { profile, commit } = incoming;
    const startedAt = now();
    const found = await report(incoming);
    const run = { profileId: profile.id, report: found, startedAt, finishedAt: now() };
    const id = await commit(async ({ transaction }) => ({
      answer: await saveDiagnosis(transaction, run),
      after: { verdict: found.verdict },
    }));
    const times = { startedAt, finishedAt: run.finishedAt };
    return { id, status: 'done' as const, report: found, error: null, ...times };
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
