import pg from 'pg';

interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
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
    if (typeof text === 'string') statements.push({ text, values: Array.isArray(values) ? values : [] });
    return query.apply(this, args);
  };
  return { statements, [Symbol.dispose]: () => void (prototype.query = query) };
}
