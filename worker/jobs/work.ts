import type { Queue } from '#storage/queue.ts';
import type { WorkerContext } from '../context.ts';
import type { Leases } from '../leases.ts';
import { createPositionJobs } from './positions.ts';
import { prune } from './prune.ts';
import { refreshRules } from './refresh-rules.ts';
import { runBacktestJob, runSweepUnit } from './research.ts';
import { snapshotEquity } from './snapshot-equity.ts';
import { verifyApiKey } from './verify-api-key.ts';

/** Takes every job of the queue and sets the schedules. */
export async function workJobs(context: WorkerContext, queue: Queue, leases: Leases): Promise<void> {
  const positions = createPositionJobs({ context, queue, leases });
  await queue.work('verify-api-key', ({ accountId }) => verifyApiKey(context, accountId));
  await queue.work('refresh-rules', () => refreshRules(context));
  await queue.work('prune', () => prune(context));
  await queue.work('snapshot-equity', () => snapshotEquity(context));
  await queue.work('apply-avg-entry-price', (data, run) => positions.applyAverageEntryPrice(data, run));
  await queue.work('reconcile-positions', (data, run) => positions.reconcile(data, run));
  await queue.work('run-backtest', ({ runId }, run) => runBacktestJob(context, runId, run));
  await queue.work('run-sweep-unit', (unit, run) => runSweepUnit({ context, queue }, unit, run));
  await queue.schedule('reconcile-positions', '*/15 * * * *', {});
  await queue.schedule('refresh-rules', '*/30 * * * *', {});
  await queue.schedule('prune', '17 3 * * *', {});
  await queue.schedule('snapshot-equity', '*/15 * * * *', {});
}
