import { leavesOf } from '#core/config-path.ts';
import { costTerms } from '#core/research/research.ts';
import { storedRobustness } from '#core/research/research-results.ts';
import type { Incoming, Routes } from '#api/handle.ts';
import { listTrials, readRobustness as selectRobustness, readRun, saveRobustness } from '#storage/research/research.ts';
import type { ApiContext } from '#api/frame/context.ts';
import { compareBacktests, readRobustness, readTrials, testRobustness } from '#api/contract/research.ts';
import { ApiProblem } from '#api/frame/problem.ts';
import { requireRobustnessSlot } from '#api/checks/research-limits.ts';
import { requireRun, runView } from './backtests.ts';

async function start(context: ApiContext, incoming: Incoming<typeof testRobustness>) {
  const run = await requireRun(context, incoming);
  if (run.state !== 'done') throw new ApiProblem('conflict', 'Only a finished backtest can be tested for robustness.');
  await requireRobustnessSlot(context);
  return incoming.commit(async ({ transaction }) => {
    await saveRobustness(transaction, run.id, { state: 'queued' });
    const job = { name: 'test-robustness', data: { runId: run.id }, singletonKey: run.id } as const;
    const jobId = (await context.queue.enqueueIn(transaction, job)) ?? '';
    return { answer: { jobId }, subject: run.id };
  });
}

type RunDetail = Awaited<ReturnType<typeof requireRun>>;

const TERMS = ['from', 'to', 'detailInterval', 'balance', ...costTerms.keyof().options, 'venue'] as const;

async function compare(context: ApiContext, { params, query }: Incoming<typeof compareBacktests>) {
  const { kysely } = context.database;
  const runs: RunDetail[] = [];
  for (const id of query.runs) {
    const run = await readRun(kysely, params.id, id);
    if (run === undefined) throw new ApiProblem('not_found', `The profile has no backtest ${id}.`);
    runs.push(run);
  }
  const terms = runs.map(({ request }) => JSON.stringify(TERMS.map((name) => request[name])));
  const newest = runs.reduce((last, run, i) => (run.createdAt > (runs[last]?.createdAt ?? 0) ? i : last), 0);
  const differing = runs.flatMap(({ id }, i) => (terms[i] === terms[newest] ? [] : [id]));
  const configs = runs.map(({ config }) => new Map(leavesOf(config)));
  const symbols = [...new Set(runs.flatMap(({ results }) => Object.keys(results)))];
  const coins = symbols.map((symbol) => ({
    symbol,
    results: runs.flatMap(({ id, results }) => {
      const result = results[symbol];
      if (result === undefined) return [];
      const { metrics, drawdown, holdout } = result;
      const outOfSample = holdout?.outOfSample.totalReturn ?? null;
      return [{ runId: id, metrics, drawdown: drawdown.depth, outOfSample }];
    }),
  }));
  const settings = [...new Set(configs.flatMap((config) => [...config.keys()]))]
    .toSorted()
    .map((path) => ({ path, values: configs.map((config) => config.get(path) ?? null) }))
    .filter(({ values }) => new Set(values).size > 1);
  return {
    ...{ runs: runs.map(runView), sameTerms: differing.length === 0, newest: runs[newest]?.id ?? '', differing },
    ...{ coins, settings },
  };
}

export function mountBacktestChecks({ context, handle }: Routes): void {
  handle(testRobustness, (incoming) => start(context, incoming));
  handle(readRobustness, async (incoming) => {
    const { id } = await requireRun(context, incoming);
    return storedRobustness.parse((await selectRobustness(context.database.kysely, id)) ?? { state: 'none' });
  });
  handle(compareBacktests, (incoming) => compare(context, incoming));
  handle(readTrials, async () => {
    const questions = await listTrials(context.database.kysely);
    return { questions: questions.map(({ lastAt, ...rest }) => ({ ...rest, lastAt })) };
  });
}
