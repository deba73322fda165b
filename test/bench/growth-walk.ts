import { OPERATIONS } from '#api/contract/contract.ts';
import type { Database } from '#storage/postgres/database.ts';

/** Tables that get rows as long as the service runs. */
const GROWING = [
  ...['orders', 'fills', 'ledger_entries', 'closed_cycles', 'action_logs', 'order_evidence', 'audit_logs'],
  ...['position_history', 'equity_snapshots'],
];
const PARAMS: Readonly<Record<string, string>> = { symbol: 'ETHUSDT', provider: 'ntfy' };
/** Files are streamed whole; the others are not about records. */
const LEFT_OUT = /export|\/docs|openapi|backup$/;

interface Ids {
  readonly accountId: string;
  readonly profileId: string;
  readonly orderId: string;
}

interface Read {
  /** With the query; ids as in the contract. */
  readonly name: string;
  readonly address: string;
}

const day = (back: number): string => new Date(Date.now() - back * 86_400_000).toISOString();

/** Queries that the web app or an operator sends, in addition to the bare path. */
const queriesOf = ({ accountId, profileId }: Ids): Readonly<Record<string, readonly string[]>> => ({
  '/profiles/:id/logs': [
    ...['', 'level=info', 'symbol=ETHUSDT', 'symbol=NONEUSDT', 'q=nowhere%20to%20be%20found', 'level=error'],
    `from=${day(30)}&to=${day(29)}`,
  ],
  '/profiles/:id/action-logs': [''],
  '/accounts/:id/orders': ['', 'symbol=ETHUSDT', 'state=live', 'state=final', `profileId=${profileId}`],
  '/profiles/:id/closed-trades': ['', 'period=day', 'period=month', 'period=all'],
  '/profiles/:id/trade-archive': ['', 'symbol=ETHUSDT', `from=${day(30)}`],
  '/profiles/:id/trade-archive/fills': ['', 'symbol=ETHUSDT'],
  '/accounts/:id/performance': [
    ...['period=1w', 'period=1m', 'period=all', `period=custom&from=${day(300)}&to=${day(100)}`],
  ],
  '/accounts/:id/performance/trades': ['period=1w', 'period=all'],
  '/audit-logs': ['', 'action=limits.update', 'subject=profile', 'subject=nobody'],
  '/profiles/:id/equity': ['', `from=${day(365)}`],
  '/candles/columns': [],
  '/candles': [],
  '/tickers': [`accountId=${accountId}&symbols=BTCUSDT`],
  '/symbols': [`accountId=${accountId}`],
});

function idFor(path: string, { accountId, profileId, orderId }: Ids): string {
  if (path.startsWith('/accounts')) return accountId;
  return path.startsWith('/orders') ? orderId : profileId;
}

/** Every read of the API about one profile, its account and one of its orders. */
export function readsOf(ids: Ids): Read[] {
  const queries = queriesOf(ids);
  return OPERATIONS.filter(({ method, path }) => method === 'GET' && !LEFT_OUT.test(path)).flatMap(({ path }) => {
    const filled = path.replaceAll(/:(\w+)/g, (_all, name: string) => PARAMS[name] ?? idFor(path, ids));
    return (queries[path] ?? ['']).map((query) => {
      const search = query === '' ? '' : `?${query}`;
      return { name: path + search, address: `/api${filled}${search}` };
    });
  });
}

interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/**
 * The statements that read a growing table from its first row to its last, each with its table. `settings`: statements that
 * set how PostgreSQL plans.
 */
export async function scansOf({ pool }: Database, statements: readonly Statement[], settings = ''): Promise<string[]> {
  const scans = new Set<string>();
  const client = await pool.connect();
  try {
    await client.query(`begin; ${settings}`);
    for (const { text, values } of statements) {
      if (!/^\s*(select|with)/i.test(text) || /insert|update|delete|pg_notify|advisory/i.test(text)) continue;
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain ${text}`, [...values]);
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      for (const [, table = ''] of plan.matchAll(/Seq Scan on (\w+)/g))
        if (GROWING.includes(table)) scans.add(`${table}: ${text.slice(0, 200)}`);
    }
  } finally {
    await client.query('rollback');
    client.release();
  }
  return [...scans];
}
