import { z } from 'zod';
import { TICK_TRACE_CAP } from './cache-keys.ts';

const days = z.int('must be a whole number').min(1).max(3650);
const flag = z.boolean('must be true or false');

/** Retention of records; null is unlimited. */
const retention = z.strictObject({
  /** Log rows at level debug: decisions that did nothing. They grow fast. */
  debugLogDays: days,
  actionLogDays: days.nullable(),
  actionLogMaxRows: z.int('must be a whole number').min(1000).max(100_000_000).nullable(),
  auditLogDays: days.nullable(),
  equityDays: days.nullable(),
  /** Tick audits of a profile in the cache store. */
  tickTraceEntries: z.int('must be a whole number').min(1000).max(1_000_000),
});

const backup = z.strictObject({
  enabled: flag,
  intervalHours: z.int('must be a whole number').min(1).max(8760),
  /** Older backups are removed once a newer one is complete. */
  keep: z.int('must be a whole number').min(1).max(365),
});

const opsNotify = z.strictObject({
  'job-failed': flag,
  'exchange-reset': flag,
  'orphan-order': flag,
  'key-error': flag,
  'account-fault': flag,
  'backup-failed': flag,
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
});
export type Retention = z.output<typeof retention>;
