import { z } from 'zod';
import { TICK_TRACE_CAP } from './cache-keys.ts';

const days = z.int('must be a whole number').min(1).max(3650);
const kept = (title: string, description: string, unit: string) => ({
  title,
  description,
  form: { unit, empty: 'forever' },
});
const flag = z.boolean('must be true or false');

/** Retention of records; null is unlimited. */
const retention = z.strictObject({
  /** Log rows at level debug, and those of stops that were moved before they sold anything. */
  debugLogDays: days.meta(kept('Waiting decisions and moved stops', 'These rows grow fast.', 'days')),
  actionLogDays: days.nullable().meta(kept('Other log rows', 'Buys, sales, rejections and warnings.', 'days')),
  orderEvidenceDays: days
    .nullable()
    .meta(
      kept('Order evidence', 'Requests and responses of ended orders; 30 days if cancelled without execution.', 'days'),
    ),
  actionLogMaxRows: z
    .int('must be a whole number')
    .min(1000)
    .max(100_000_000)
    .nullable()
    .meta(kept('Maximum log rows', 'The oldest are removed first.', 'rows')),
  auditLogDays: days.nullable().meta(kept('Audit log', 'Your changes.', 'days')),
  equityDays: days.nullable().meta(kept('Equity history', 'For the curve under Trades.', 'days')),
  /** In the cache store. */
  tickTraceEntries: z
    .int('must be a whole number')
    .min(1000)
    .max(1_000_000)
    .meta(kept('Full tick traces', 'Newest ticks per profile, complete.', 'ticks')),
});

const backup = z.strictObject({
  enabled: flag.meta({ title: 'Automatic backups', description: 'Needs a folder.' }),
  intervalHours: z
    .int('must be a whole number')
    .min(1)
    .max(8760)
    .meta(kept('Every', 'Time between two backups.', 'hours')),
  keep: z
    .int('must be a whole number')
    .min(1)
    .max(365)
    .meta(kept('Keep', 'Older ones are removed once a newer one is complete.', 'backups')),
});

const opsNotify = z.strictObject({
  'job-failed': flag,
  'exchange-reset': flag,
  'orphan-order': flag,
  'key-error': flag,
  'account-fault': flag,
  'backup-failed': flag,
  'disk-low': flag,
});

/** A setting of the whole installation. Absent values have their default. */
export interface ServiceSetting<Value> {
  readonly name: string;
  readonly schema: z.ZodType<Value>;
  readonly defaults: Value;
}

const setting = <Shape extends z.ZodRawShape>(
  name: string,
  schema: z.ZodObject<Shape, z.core.$strict>,
  defaults: z.output<z.ZodObject<Shape, z.core.$strict>>,
) => ({ name, schema, defaults });

export const RETENTION = setting('retention', retention, {
  debugLogDays: 30,
  actionLogDays: null,
  orderEvidenceDays: 365,
  actionLogMaxRows: 10_000_000,
  auditLogDays: null,
  equityDays: null,
  tickTraceEntries: TICK_TRACE_CAP,
});
export const BACKUP_SCHEDULE = setting('backup', backup, { enabled: false, intervalHours: 24, keep: 7 });
/** Switches of messages about accounts and the installation, by event (core/installation/notify.ts). */
export const OPS_NOTIFY = setting('ops-notify', opsNotify, {
  'job-failed': true,
  'exchange-reset': true,
  'orphan-order': true,
  'key-error': true,
  'account-fault': true,
  'backup-failed': true,
  'disk-low': true,
});
export type Retention = z.output<typeof retention>;
