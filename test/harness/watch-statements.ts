import pg from 'pg';

interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
  /** From its sending to its rows; undefined while it runs. */
  ms?: number;
}

interface Watch extends Disposable {
  /** In the order in which they were sent. */
  readonly statements: readonly Statement[];
}

const fieldsOf = (query: unknown): { readonly text?: unknown; readonly values?: unknown } =>
  typeof query === 'object' && query !== null ? query : {};

/** Keeps the statements of every connection of this process until disposed. */
export function watchStatements(): Watch {
  const statements: Statement[] = [];
  const prototype: { query: (...args: unknown[]) => unknown } = pg.Client.prototype;
  const { query } = prototype;
  prototype.query = function watched(this: unknown, ...args: unknown[]): unknown {
    const [first, second] = args;
    const { text, values } = typeof first === 'string' ? { text: first, values: second } : fieldsOf(first);
    const sentMs = performance.now();
    const answer = query.apply(this, args);
    if (typeof text !== 'string') return answer;
    const statement: Statement = { text, values: Array.isArray(values) ? values : [] };
    statements.push(statement);
    const end = (): void => void (statement.ms = performance.now() - sentMs);
    if (answer instanceof Promise) answer.then(end, end);
    return answer;
  };
  return { statements, [Symbol.dispose]: () => void (prototype.query = query) };
}
