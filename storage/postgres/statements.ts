import pg from 'pg';
import { type Database, withQueryText } from './database.ts';

/** A statement prepared once per connection: the path between decision and send has no parsing. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

type Value = string | number | boolean | Date | null;

export interface BoundStatement extends Statement {
  readonly values: readonly Value[];
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

/**
 * Only an error from PostgreSQL proves that nothing was kept. Classes 57P (operator intervention), 08 (connection) and XX
 * (internal) prove nothing: they may end the session after COMMIT has taken effect.
 */
const isRefusal = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code !== undefined && !/^(57P|08|XX)/.test(error.code);

const BEGIN: BoundStatement = { name: 'begin', text: 'begin isolation level read committed', values: [] };
const COMMIT: BoundStatement = { name: 'commit', text: 'commit', values: [] };

/** Names of the statements that each connection has prepared. */
const prepared = new WeakMap<pg.Connection, Set<string>>();

function textOf(value: Value): string | null {
  if (value === null) return null;
  return value instanceof Date ? value.toISOString() : String(value);
}

type Answer<Row extends pg.QueryResultRow> = Pick<pg.QueryResult<Row>, 'command' | 'rows'>;

/**
 * Several statements as one query with one Sync at the end, so that PostgreSQL answers them together. They run one after
 * the other, each with its own snapshot. After a failure PostgreSQL skips the rest.
 */
class Batch<Row extends pg.QueryResultRow> extends pg.Query<Row> {
  readonly #statements: readonly BoundStatement[];

  constructor(
    statements: readonly BoundStatement[],
    done: (error: Error | undefined, answers: readonly Answer<Row>[]) => void,
  ) {
    // With several statements the result is a list.
    super('', (error, answers) => done(error, [answers].flat()));
    this.#statements = statements;
  }

  override submit = (connection: pg.Connection): void => {
    const known = prepared.get(connection) ?? new Set();
    prepared.set(connection, known);
    connection.stream.cork();
    for (const { name, text, values } of this.#statements) {
      if (!known.has(name)) connection.parse({ name, text, types: [] }, true);
      known.add(name);
      connection.bind({ statement: name, values: values.map(textOf) }, true);
      // A statement without values returns no rows here.
      if (values.length > 0) connection.describe({ type: 'P', name: '' }, true);
      connection.execute(null, true);
    }
    connection.sync();
    connection.stream.uncork();
  };
}

const sendAtOnce = <Row extends pg.QueryResultRow>(
  client: pg.PoolClient,
  statements: readonly BoundStatement[],
): Promise<readonly Answer<Row>[]> =>
  new Promise((resolve, reject) => {
    client.query(new Batch<Row>(statements, (error, answers) => (error ? reject(error) : resolve(answers))));
  });

/**
 * A READ COMMITTED transaction in one round trip: BEGIN, the statements and COMMIT are sent together and answered together.
 * Each statement takes its own snapshot when it starts. After a failure PostgreSQL skips the rest, COMMIT included. Returns
 * the rows of the last statement. Throws CommitUnknown when the outcome of COMMIT is unknown; any other error means that
 * nothing was kept.
 */
export async function transactAtOnce<Row extends pg.QueryResultRow>(
  db: Database,
  statements: readonly BoundStatement[],
): Promise<Row[]> {
  const client = await db.pool.connect();
  try {
    const answers = await sendAtOnce<Row>(client, [BEGIN, ...statements, COMMIT]);
    if (answers.at(-1)?.command !== 'COMMIT') throw new Error('PostgreSQL rolled the transaction back at COMMIT.');
    client.release();
    return answers.at(-2)?.rows ?? [];
  } catch (error) {
    // The transaction may still be open on it.
    client.release(true);
    if (isRefusal(error)) throw withQueryText(error, statements.at(-1)?.text ?? '');
    throw new CommitUnknown(error);
  }
}
