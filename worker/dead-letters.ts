import { readDeadLetter } from '#storage/jobs/dead-letters.ts';
import type { Queue } from '#storage/jobs/queue.ts';
import type { WorkerContext } from './context.ts';
import { notifyAccount } from './notify.ts';

/** Reports each exhausted job to browsers and operator, with the scrubbed text that was stored. */
export function watchDeadLetters(
  { announcer, database, log, notifyDeps }: Pick<WorkerContext, 'announcer' | 'database' | 'log' | 'notifyDeps'>,
  queue: Queue,
): Promise<void> {
  return queue.watchDeadLetters(async (id) => {
    const letter = await readDeadLetter(database.kysely, id);
    if (letter === undefined) return;
    const { job, errorMessage, attempts } = letter;
    log.error({ event: 'dead_letter', id, job, attempts }, `Job ${job} failed after ${attempts} attempts.`);
    announcer.announce({ topic: 'dead-letter', id, data: { job, errorMessage } });
    // A failing notifier would otherwise receive messages about its own failures.
    if (job === 'notify' || job === 'notify-send') return;
    await notifyAccount(notifyDeps, null, {
      event: 'job-failed',
      title: `The job ${job} failed after ${attempts} attempts.`,
      text: `${errorMessage} Open Failed jobs to try it again or to remove it.`,
    });
  });
}
