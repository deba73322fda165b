import { z } from 'zod';
import { idSchema } from '#core/id-schema.ts';
import { instant } from './fields.ts';
import { operation } from './operation.ts';

const params = z.object({ id: idSchema() });

export const deadLetter = z.object({
  id: z.string(),
  job: z.string(),
  /** Input of the job, such as its account. */
  data: z.unknown(),
  /** Scrubbed of bind values of database queries. */
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
  summary: 'Failed jobs, newest first: their last attempt failed',
  query: z.strictObject({ limit: z.coerce.number().int().min(1).max(1000).default(100) }),
  response: z.object({ deadLetters: z.array(deadLetter) }),
});

export const retryDeadLetter = operation({
  method: 'POST',
  path: '/dead-letters/:id/retry',
  auth: 'session',
  status: 202,
  summary: 'Retries a failed job with all its attempts and removes it from the list',
  audit: 'dead-letter.retry',
  params,
  response: z.object({ jobId: z.string() }),
});

export const deleteDeadLetter = operation({
  method: 'DELETE',
  path: '/dead-letters/:id',
  auth: 'session',
  status: 204,
  summary: 'Removes a failed job from the list without a retry',
  audit: 'dead-letter.delete',
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
  summary: 'Scheduled jobs: outcome of the last run, and time of the next one',
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
