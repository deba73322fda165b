import { newId, type UserId } from '#core/ids.ts';
import type { Writer } from './database.ts';
import { jsonText } from './json.ts';

/** One change of an operator; `ip` is the literal `unknown` when no header told it. Never holds secrets. */
export interface AuditEntry {
  readonly userId: UserId | null;
  readonly action: string;
  readonly subject: string;
  readonly before?: unknown;
  readonly after?: unknown;
  readonly ip: string;
  readonly userAgent: string;
}

/** Belongs into the transaction of the change it records. */
export async function writeAuditLog(database: Writer, entry: AuditEntry): Promise<void> {
  await database
    .insertInto('audit_logs')
    .values({
      id: newId(),
      user_id: entry.userId,
      action: entry.action,
      subject: entry.subject,
      before: entry.before === undefined ? null : jsonText(entry.before),
      after: entry.after === undefined ? null : jsonText(entry.after),
      ip: entry.ip,
      user_agent: entry.userAgent,
    })
    .execute();
}
