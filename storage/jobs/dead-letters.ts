import { sql } from 'kysely';
import type { Reader, Transaction } from '#storage/postgres/database.ts';

/** The queue that exhausted jobs are moved to. */
export const DEAD_LETTERS = 'dead-letters';

/** A job that failed its last attempt; bind values were scrubbed from its error before it was stored. */
export interface DeadLetter {
  readonly id: string;
  readonly job: string;
  readonly data: unknown;
  readonly errorMessage: string;
  readonly stack?: string;
  readonly attempts: number;
  readonly diedAt: Date;
}

interface LetterRow {
  readonly id: string;
  readonly source_name: string | null;
  readonly data: unknown;
  readonly source_output: unknown;
  readonly source_retry_count: number | null;
  readonly created_on: Date;
}

const COLUMNS = ['id', 'source_name', 'data', 'source_output', 'source_retry_count', 'created_on'] as const;

const letterOf = (row: LetterRow): DeadLetter => ({
  id: row.id,
  job: row.source_name ?? DEAD_LETTERS,
  data: row.data,
  ...errorOf(row.source_output),
  attempts: Number(row.source_retry_count ?? 0) + 1,
  diedAt: row.created_on,
});

/** Failed jobs, newest first, reported or not. */
export async function listDeadLetters(reader: Reader, limit = 100): Promise<DeadLetter[]> {
  const rows = await reader
    .selectFrom(sql<LetterRow & { name: string }>`pgboss.job`.as('job'))
    .select(COLUMNS)
    .where('name', '=', DEAD_LETTERS)
    .orderBy('created_on', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(letterOf);
}

export async function readDeadLetter(reader: Reader, id: string): Promise<DeadLetter | undefined> {
  const row = await reader
    .selectFrom(sql<LetterRow & { name: string }>`pgboss.job`.as('job'))
    .select(COLUMNS)
    .where('name', '=', DEAD_LETTERS)
    .where('id', '=', id)
    .executeTakeFirst();
  return row === undefined ? undefined : letterOf(row);
}

/** Removes a dead letter and returns it; undefined when it no longer exists. */
export async function removeDeadLetter(transaction: Transaction, id: string): Promise<DeadLetter | undefined> {
  const { rows } = await sql<LetterRow>`delete from pgboss.job where name = ${DEAD_LETTERS} and id = ${id}
    returning ${sql.join(COLUMNS.map((column) => sql.ref(column)))}`.execute(transaction);
  return rows[0] === undefined ? undefined : letterOf(rows[0]);
}

/** pg-boss wraps its own errors ({ value: { message } }), such as the timeout of a job. */
export function errorOf(output: unknown): { errorMessage: string; stack?: string } {
  const inner = fieldOf(output, 'value') ?? output;
  const message = fieldOf(inner, 'message');
  const stack = fieldOf(inner, 'stack');
  return {
    errorMessage: typeof message === 'string' ? message : 'The job failed without a message.',
    ...(typeof stack === 'string' ? { stack } : {}),
  };
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
