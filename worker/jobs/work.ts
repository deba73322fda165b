import type { Queue } from '#storage/jobs/queue.ts';
import type { WorkerContext } from '#worker/context.ts';
import type { Leases } from '#worker/leases.ts';
import { runAccountHistory } from './account-history.ts';
import { advise } from './advise.ts';
import { backUp } from './backup.ts';
import { sendDigests } from './digest.ts';
import { checkStrategy } from './check-strategy.ts';
import { compareLive } from './compare-live.ts';
import { discover } from './discover.ts';
import { workDryRuns } from './evaluate-dry-run.ts';
import { fetchCandles } from './fetch-candles.ts';
import { fanOut, send } from './notify.ts';
import { createPositionJobs } from './positions.ts';
import { previewStrategy } from './preview-strategy.ts';
import { prune } from './prune.ts';
import { refreshRules } from './refresh-rules.ts';
import { runBacktestJob, testRobustnessJob } from './research.ts';
import { createSweepJobs } from './sweeps.ts';
import { verifyApiKey } from './verify-api-key.ts';

/** Parallel notifications: a notifier that does not answer blocks only one of them. */
const PARALLEL_NOTIFICATIONS = 4;
/** Parallel questions: a provider takes minutes, and the questions of one backtest need not wait for each other. */
const PARALLEL_QUESTIONS = 3;

/** Takes backtests, sweeps and the candles for them from the queue. */
export async function workResearch(context: WorkerContext, queue: Queue): Promise<void> {
  await queue.work('run-backtest', ({ runId }, run) => runBacktestJob(context, runId, run));
  await queue.work('run-sweep-unit', createSweepJobs(context));
  await queue.work('test-robustness', ({ runId }, run) => testRobustnessJob(context, runId, run));
  await queue.work('check-strategy', ({ hash }) => checkStrategy(context, hash));
  await queue.work('preview-strategy', (request, { signal }) => previewStrategy(context, request, signal));
  await workDryRuns(context, queue);
  await queue.work('fetch-candles', (span, { signal }) => fetchCandles(context, span, signal));
}

/** Takes every other job of the queue and sets the schedules. */
export async function workJobs(context: WorkerContext, queue: Queue, leases: Leases): Promise<void> {
  const positions = createPositionJobs({ context, queue, leases });
  await queue.work('verify-api-key', async ({ accountId }) => void (await verifyApiKey(context, accountId)));
  await queue.work('refresh-rules', () => refreshRules(context));
  await queue.work('prune', () => prune(context));
  await queue.work('notify', (data) => fanOut({ ...context, queue }, data));
  await queue.work('notify-send', (data, run) => send(context, data, run), PARALLEL_NOTIFICATIONS);
  await queue.work('backup', () => backUp(context));
  await queue.work('digest', () => sendDigests(context, context.notifyDeps));
  await queue.work('apply-avg-entry-price', (data, run) => positions.applyAverageEntryPrice(data, run));
  await queue.work('reconcile-positions', (data, run) => positions.reconcile(data, run));
  await queue.work('compare-live', ({ profileId }, run) => compareLive({ context, queue }, profileId, run));
  await queue.work('advise', (ask, run) => advise(context, ask, run), PARALLEL_QUESTIONS);
  await queue.work('identity-check', (data, run) => positions.checkIdentity(data, run));
  await queue.work('detect-orphans', (data, run) => positions.detectOrphans(data, run));
  await queue.work('account-history', ({ runId }, { signal }) => runAccountHistory(context, runId, signal));
  await queue.work('discover', () => discover(context));
  await queue.schedule('discover', '* * * * *', {});
  await queue.schedule('detect-orphans', '*/10 * * * *', {});
  await queue.schedule('reconcile-positions', '*/15 * * * *', {});
  await queue.schedule('refresh-rules', '*/30 * * * *', {});
  await queue.schedule('prune', '17 3 * * *', {});
  await queue.schedule('backup', '*/15 * * * *', {});
  await queue.schedule('identity-check', '41 3 * * *', {});
  await queue.schedule('digest', '0 * * * *', {});
  await queue.schedule('compare-live', '23 4 * * *', {});
}
