import { z } from 'zod';
import { instantText } from '#core/text-fields.ts';
import { auditActor } from '#core/installation/audit-actor.ts';
import { RETENTION } from '#core/installation/settings.ts';
import { cursor, instant } from './fields.ts';
import { operation } from './operation.ts';

const filters = {
  /** Comma list; absent means every action. */
  action: z.string().max(2000).optional(),
  subject: z.string().max(200).optional(),
  from: instantText.optional(),
  to: instantText.optional(),
};
const read = { method: 'GET', auth: 'session', status: 200 } as const;

export const listAuditLogs = operation({
  ...read,
  path: '/audit-logs',
  need: 'manage',
  summary: 'Audit log: changes by the operator, newest first, with values before and after',
  query: z.strictObject({
    limit: z.coerce.number().int().min(1).max(1000).default(100),
    cursor: cursor.optional(),
    ...filters,
  }),
  response: z.object({
    rows: z.array(
      z.object({
        id: z.string(),
        at: instant,
        action: z.string(),
        subject: z.string(),
        before: z.unknown(),
        after: z.unknown(),
        ip: z.string(),
        userAgent: z.string(),
        /** Null: a session. */
        actor: auditActor.nullable(),
      }),
    ),
    nextCursor: z.string().nullable(),
  }),
});

export const exportAuditLogs = operation({
  ...read,
  path: '/audit-logs/export',
  need: 'manage',
  summary: 'The same changes as a file',
  query: z.strictObject({ format: z.enum(['ndjson', 'csv']).default('ndjson'), ...filters }),
  media: ['application/x-ndjson', 'text/csv'],
});

const receipt = z.object({
  at: instant,
  ok: z.boolean(),
  error: z.string().nullable(),
  /** Removed rows by kind. */
  deleted: z.record(z.string(), z.number()),
});
const retention = RETENTION.schema.extend({ receipts: z.array(receipt) });

export const readRetention = operation({
  ...read,
  path: '/retention',
  summary: 'Retention of records, and the results of the last prunes',
  response: retention,
});

export const changeRetention = operation({
  method: 'PATCH',
  auth: 'session',
  status: 200,
  path: '/retention',
  summary: 'Changes the retention of records from the next prune on; null keeps them forever',
  audit: 'retention.change',
  body: RETENTION.schema.partial(),
  response: retention,
});
