import type { Transaction } from '#storage/postgres/database.ts';
import { listDeadLetters as selectLetters, removeDeadLetter } from '#storage/jobs/dead-letters.ts';
import { listSchedules, readJob as findJob } from '#storage/jobs/schedules.ts';
import { announce } from '#api/frame/bus.ts';
import { deleteDeadLetter, listDeadLetters, listJobs, readJob, retryDeadLetter } from '#api/contract/jobs.ts';
import type { Routes } from '#api/handle.ts';
import { ApiProblem } from '#api/frame/problem.ts';

async function take(transaction: Transaction, id: string) {
  const letter = await removeDeadLetter(transaction, id);
  if (letter === undefined) throw new ApiProblem('not_found', `There is no dead letter ${id}.`);
  const { job, data, errorMessage } = letter;
  return { letter, audited: { subject: id, before: { job, data, errorMessage } } };
}

export function mountJobs({ context, handle }: Routes): void {
  const { database, queue, now } = context;
  const gone = (id: string) => announce(context, { events: [{ topic: 'dead-letter', id, data: { removed: true } }] });

  handle(listDeadLetters, async ({ query }) => ({
    deadLetters: (await selectLetters(database.kysely, query.limit)).map((letter) => ({
      ...letter,
      stack: letter.stack ?? null,
    })),
  }));

  handle(retryDeadLetter, async ({ commit, params: { id } }) => {
    const retried = await commit(async ({ transaction }) => {
      const { letter, audited } = await take(transaction, id);
      const jobId = await queue.enqueueAgain(transaction, letter);
      if (jobId !== undefined) return { answer: { jobId }, ...audited };
      throw new ApiProblem('conflict', `This version knows no job ${letter.job}: the letter can only be removed.`);
    });
    await gone(id);
    return retried;
  });

  handle(deleteDeadLetter, async ({ commit, params: { id } }) => {
    await commit(async ({ transaction }) => ({ answer: undefined, ...(await take(transaction, id)).audited }));
    await gone(id);
    return undefined;
  });

  handle(readJob, async ({ params: { id } }) => {
    const job = await findJob(database.kysely, id);
    if (job === undefined)
      throw new ApiProblem('not_found', `There is no job ${id}, or it ended more than a week ago.`);
    return job;
  });

  handle(listJobs, async () => ({
    jobs: (await listSchedules(database.kysely)).map(({ name, cron, lastRun }) => ({
      name,
      cron,
      lastRun: lastRun && {
        startedAt: lastRun.startedAt,
        durationMs: lastRun.endedAt.getTime() - lastRun.startedAt.getTime(),
        outcome: lastRun.outcome,
        errorMessage: lastRun.errorMessage,
      },
      nextAt: queue.nextRun(cron, now()) ?? null,
    })),
  }));
}
