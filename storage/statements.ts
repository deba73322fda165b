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

/** Sends all statements at once, without waiting for answers in between; answers with the rows of the last. */
async function runBatch<Row extends pg.QueryResultRow>(
  client: pg.ClientBase,
  batch: readonly BoundStatement[],
): Promise<Row[]> {
  const begin = client.query('begin isolation level read committed');
  const settled = await Promise.allSettled([begin, ...batch.map((statement) => runStatement<Row>(client, statement))]);
  for (const outcome of settled) if (outcome.status === 'rejected') throw outcome.reason;
  const last = settled.at(-1);
  return last?.status === 'fulfilled' && Array.isArray(last.value) ? last.value : [];
}

/** When the write fails, PostgreSQL answers the COMMIT that is already on its way with a rollback. */
async function writeAndCommit(client: pg.ClientBase, write: BoundStatement): Promise<void> {
  const [written, committed] = await Promise.allSettled([runStatement(client, write), client.query('commit')]);
  if (committed.status === 'rejected' && !isRefusal(committed.reason)) throw new CommitUnknown(committed.reason);
  if (written.status === 'rejected') throw written.reason;
  if (committed.status === 'rejected') throw withQueryText(committed.reason, 'commit');
  if (committed.value.command === 'ROLLBACK') throw new Error('PostgreSQL rolled the transaction back at COMMIT.');
}

async function rollBack(client: pg.PoolClient): Promise<void> {
  try {
    await client.query('rollback');
    client.release();
  } catch {
    client.release(true);
  }
}

export interface TwoStepTransaction<Row extends pg.QueryResultRow, Result> {
  /** Sent in one go with BEGIN. Each statement still has a snapshot of its own, taken when its turn comes. */
  readonly opening: readonly BoundStatement[];
  /** Judges the rows of the last opening statement: what to write and commit, or nothing (null) to roll back. */
  readonly decide: (rows: Row[]) => { readonly write: BoundStatement | null; readonly result: Result };
}

/**
 * A READ COMMITTED transaction in two round trips: BEGIN with the opening statements, then the write with COMMIT.
 * Throws CommitUnknown when the answer to COMMIT was lost; any other error means that nothing was kept.
 */
export async function transactInTwoSteps<Row extends pg.QueryResultRow, Result>(
  db: Database,
  { opening, decide }: TwoStepTransaction<Row, Result>,
): Promise<Result> {
  const client = await db.pool.connect();
  try {
    const { write, result } = decide(await runBatch<Row>(client, opening));
    if (write === null) {
      await rollBack(client);
      return result;
    }
    await writeAndCommit(client, write);
    client.release();
    return result;
  } catch (error) {
    if (error instanceof CommitUnknown) client.release(true);
    else await rollBack(client);
    throw error;
  }
}
