import pg from 'pg';
import { type Database, withQueryText } from './database.ts';

/** A statement prepared once per connection: the path between decision and send pays no parsing. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

export interface BoundStatement extends Statement {
  readonly values: readonly unknown[];
}

/** The connection broke while COMMIT was under way: the transaction may or may not have taken effect. */
export class CommitUnknown extends Error {
  override readonly name = 'CommitUnknown';
  constructor(cause: unknown) {
    super('The connection to PostgreSQL broke during COMMIT, so it is not known whether the transaction was kept.', {
      cause,
    });
  }
}

export async function runStatement<Row extends pg.QueryResultRow>(
  client: pg.ClientBase | pg.Pool,
  { name, text, values }: BoundStatement,
): Promise<Row[]> {
  try {
    return (await client.query<Row>({ name, text, values: [...values] })).rows;
  } catch (error) {
    throw withQueryText(error, text);
  }
}

/**
 * Only PostgreSQL's own answer proves that nothing was kept, and not one of class 57 (operator intervention), 08
 * (connection) or XX (internal): those end the session, and COMMIT may have been done by then.
 */
const isRefusal = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code !== undefined && !/^(57|08|XX)/.test(error.code);

async function rollBack(client: pg.PoolClient): Promise<void> {
  try {
    await client.query('rollback');
    client.release();
  } catch {
    client.release(true);
  }
}

/**
 * A READ COMMITTED transaction in one round trip: BEGIN, the statements and COMMIT leave together. Each statement still
 * has a snapshot of its own, taken when its turn comes, and after one that fails PostgreSQL answers the COMMIT with a
 * rollback. Answers with the rows of the last statement. Throws CommitUnknown when the answer to COMMIT was lost; any
 * other error means that nothing was kept.
 */
export async function transactAtOnce<Row extends pg.QueryResultRow>(
  db: Database,
  statements: readonly BoundStatement[],
): Promise<Row[]> {
  const client = await db.pool.connect();
  const { stream } = client.connection;
  stream.cork();
  const begun = client.query('begin isolation level read committed');
  const sent = statements.map((statement) => runStatement<Row>(client, statement));
  const ended = client.query('commit');
  stream.uncork();
  const [committed, ...answers] = await Promise.allSettled([ended, begun, ...sent]);
  if (committed.status === 'rejected' && !isRefusal(committed.reason)) {
    client.release(true);
    throw new CommitUnknown(committed.reason);
  }
  if (committed.status === 'rejected') await rollBack(client);
  else client.release();
  for (const answer of answers) if (answer.status === 'rejected') throw answer.reason;
  if (committed.status === 'rejected') throw withQueryText(committed.reason, 'commit');
  if (committed.value.command === 'ROLLBACK') throw new Error('PostgreSQL rolled the transaction back at COMMIT.');
  return (await sent.at(-1)) ?? [];
}
