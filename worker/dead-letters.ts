import { readDeadLetter } from '#storage/jobs/dead-letters.ts';
import type { Queue } from '#storage/jobs/queue.ts';
import type { WorkerContext } from './context.ts';
import { notifyAccount } from './notify.ts';

/** Tells browsers and operator of each exhausted job, in the words that were scrubbed before they were stored. */
export function watchDeadLetters(
  { announcer, database, log, notifyDeps }: Pick<WorkerContext, 'announcer' | 'database' | 'log' | 'notifyDeps'>,
  queue: Queue,
): Promise<void> {
  return queue.watchDeadLetters(async (id) => {
    const letter = await readDeadLetter(database.kysely, id);
    if (letter === undefined) return;
    const { job, errorMessage, attempts } = letter;
    log.error({ event: 'dead_letter', id, job, attempts }, `Job ${job} was given up after ${attempts} attempts.`);
    announcer.announce({ topic: 'dead-letter', id, data: { job, errorMessage } });
    // A notifier that takes nothing would be told about its own failure, again and again.
    if (job === 'notify' || job === 'notify-send') return;
    await notifyAccount(notifyDeps, null, {
      event: 'job-failed',
      title: `The job ${job} was given up after ${attempts} attempts.`,
      text: `${errorMessage} Look at the dead letters: it can be tried again or removed there.`,
    });
  });
}
