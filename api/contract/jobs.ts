import { z } from 'zod';
import { idSchema } from '#core/ids.ts';
import { instant } from './fields.ts';
import { operation } from './operation.ts';

const params = z.object({ id: idSchema() });

export const deadLetter = z.object({
  id: z.string(),
  job: z.string(),
  /** What the job was told, such as which account it is for. */
  data: z.unknown(),
  /** Without bind values of database queries. */
  errorMessage: z.string(),
  stack: z.string().nullable(),
  attempts: z.number(),
  diedAt: instant,
});

export const listDeadLetters = operation({
  method: 'GET',
  path: '/dead-letters',
  auth: 'session',
  status: 200,
  summary: 'Jobs that were given up after their last attempt, newest first',
  query: z.strictObject({ limit: z.coerce.number().int().min(1).max(1000).default(100) }),
  response: z.object({ deadLetters: z.array(deadLetter) }),
});

export const retryDeadLetter = operation({
  method: 'POST',
  path: '/dead-letters/:id/retry',
  auth: 'session',
  status: 202,
  summary: 'Gives a job all its attempts again and takes it off the list',
  params,
  response: z.object({ jobId: z.string() }),
});

export const deleteDeadLetter = operation({
  method: 'DELETE',
  path: '/dead-letters/:id',
  auth: 'session',
  status: 204,
  summary: 'Takes a job off the list without trying it again',
  params,
});

export const readJob = operation({
  method: 'GET',
  path: '/jobs/:id',
  auth: 'session',
  status: 200,
  summary: 'State of a job by its jobId, as the request that queued it returned it; a finished job is kept for a week',
  params,
  response: z.object({
    id: z.string(),
    name: z.string(),
    /** Failed: its last attempt failed. A waiting job with an error message is retried. */
    state: z.enum(['waiting', 'running', 'done', 'failed']),
    attempts: z.number(),
    errorMessage: z.string().nullable(),
    askedAt: instant,
    endedAt: instant.nullable(),
  }),
});

export const listJobs = operation({
  method: 'GET',
  path: '/jobs',
  auth: 'session',
  status: 200,
  summary: 'What runs by itself again and again: how the last run ended, and when the next one is due',
  response: z.object({
    jobs: z.array(
      z.object({
        name: z.string(),
        /** Five fields, UTC. */
        cron: z.string(),
        lastRun: z
          .object({
            startedAt: instant,
            durationMs: z.number(),
            outcome: z.enum(['done', 'failed']),
            errorMessage: z.string().nullable(),
          })
          .nullable(),
        nextAt: instant.nullable(),
      }),
    ),
  }),
});
