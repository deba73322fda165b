import type { Queue } from '#storage/queue.ts';
import type { WorkerContext } from '../context.ts';
import { prune } from './prune.ts';
import { refreshRules } from './refresh-rules.ts';
import { verifyApiKey } from './verify-api-key.ts';

/** Takes every job of the queue and sets the schedules. */
export async function workJobs(context: WorkerContext, queue: Queue): Promise<void> {
  await queue.work('verify-api-key', ({ accountId }) => verifyApiKey(context, accountId));
  await queue.work('refresh-rules', () => refreshRules(context));
  await queue.work('prune', () => prune(context));
  await queue.schedule('refresh-rules', '*/30 * * * *', {});
  await queue.schedule('prune', '17 3 * * *', {});
}
