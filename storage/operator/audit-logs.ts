import { type Expression, type SqlBool, sql } from 'kysely';
import type { AuditActor } from '#core/installation/audit-actor.ts';
import { newId, type UserId } from '#core/ids.ts';
import type { Reader, Writer } from '#storage/postgres/database.ts';
import { jsonText } from '#storage/postgres/json.ts';
import { type Page, type PageCursor, pageOf, placeOf } from '#storage/postgres/pages.ts';

/** One change of an operator; `ip` is the literal `unknown` when no header contained it. Never holds secrets. */
interface AuditEntry {
  readonly userId: UserId | null;
  readonly action: string;
  readonly subject: string;
  readonly before?: unknown;
  readonly after?: unknown;
  readonly ip: string;
  readonly userAgent: string;
}

interface WrittenEntry extends AuditEntry {
  /** Keeps less of a long record: for changes that any visitor may make. */
  readonly brief?: boolean;
  readonly actor?: AuditActor | null;
}

/** Longer records are cut: the change itself is in its own table. */
const USUAL = { longest: 32 * 1024, kept: 2000 };
const BRIEF = { longest: 2 * 1024, kept: 500 };

/** The JSON text of a record; for a long record its length and first characters. */
function recordText(record: unknown, { longest, kept }: typeof USUAL): string | null {
  if (record === undefined) return null;
  const text = jsonText(record);
  return text.length <= longest ? text : jsonText({ characters: text.length, beginning: text.slice(0, kept) });
}

/** Call it in the transaction of the change that it records. */
export async function writeAuditLog(database: Writer, entry: WrittenEntry): Promise<void> {
  const lengths = entry.brief === true ? BRIEF : USUAL;
  await database
    .insertInto('audit_logs')
    .values({
      id: newId(),
      user_id: entry.userId,
      action: entry.action,
      subject: entry.subject,
      before: recordText(entry.before, lengths),
      after: recordText(entry.after, lengths),
      ip: entry.ip,
      user_agent: entry.userAgent,
      actor: entry.actor == null ? null : jsonText(entry.actor),
    })
    .execute();
}

interface AuditFilter {
  readonly actions?: readonly string[] | undefined;
  readonly subject?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export interface AuditView extends Omit<AuditEntry, 'userId'> {
  readonly id: string;
  readonly at: Date;
  readonly actor: AuditActor | null;
}

/** One page of changes, newest first, after `cursor`. */
export async function pageAuditLogs(
  database: Reader,
  filter: AuditFilter,
  page: { readonly limit: number; readonly cursor?: PageCursor | undefined },
): Promise<Page<AuditView>> {
  const rows = await database
    .selectFrom('audit_logs')
    .select(['id', 'at', 'action', 'subject', 'before', 'after', 'ip', 'user_agent as userAgent'])
    .select('actor')
    .select(placeOf('at'))
    .where((row) => {
      const all: Expression<SqlBool>[] = [];
      if (filter.actions !== undefined) all.push(row('action', 'in', [...filter.actions]));
      if (filter.subject !== undefined) all.push(row('subject', '=', filter.subject));
      if (filter.from !== undefined) all.push(row('at', '>=', sql<Date>`${filter.from}::timestamptz`));
      if (filter.to !== undefined) all.push(row('at', '<=', sql<Date>`${filter.to}::timestamptz`));
      if (page.cursor !== undefined)
        all.push(sql<SqlBool>`(at, id) < (${page.cursor.at}::timestamptz, ${page.cursor.id}::uuid)`);
      return row.and(all);
    })
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit + 1)
    .execute();
  const { shown, next } = pageOf(rows, page.limit);
  return { rows: shown.map(({ place: _place, ...row }) => row), next };
}
