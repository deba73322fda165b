import { parseArgs } from 'node:util';
import pg from 'pg';
import { OPERATIONS } from '#api/contract/contract.ts';
import { openTestApi } from '#test/api/test-api.ts';
import { BTC, cachePrice, cacheRules, ETH, rulesOf } from '#test/api/test-records.ts';
import { provideDatabase } from '#test/harness/servers.ts';
import { COINS, fillYears } from './growth-data.ts';

/**
 * Every read of the API over a database of years: 5,000,000 log rows, 1,000,000 orders and fills, 2,000,000 ledger rows,
 * 500,000 closed trades of 20 coins on one account. Prints the slowest statement of each operation, and fails when a
 * statement reads a growing table from its first row to its last.
 */
const GROWING = [
  ...['orders', 'fills', 'ledger_entries', 'closed_cycles', 'action_logs', 'order_evidence', 'audit_logs'],
  ...['position_history', 'equity_snapshots'],
];
const TIMES = 3;
const { values } = parseArgs({
  options: { trades: { type: 'string', default: '25000' }, logs: { type: 'string', default: '5000000' } },
});

interface Ran {
  readonly text: string;
  readonly values: unknown[];
  readonly ms: number;
}

/** Statements since the last `ran.length = 0`, from every connection of this process. */
const ran: Ran[] = [];

function watchStatements(): void {
  const prototype: { query: (...args: unknown[]) => unknown } = pg.Client.prototype;
  const { query } = prototype;
  prototype.query = function watched(this: unknown, ...args: unknown[]): unknown {
    const [first, second] = args;
    const { text, values: bound } = typeof first === 'string' ? { text: first, values: second } : fieldsOf(first);
    const startMs = performance.now();
    const result = query.apply(this, args);
    if (typeof text === 'string' && result instanceof Promise)
      void result
        .then(() => ran.push({ text, values: Array.isArray(bound) ? bound : [], ms: performance.now() - startMs }))
        .catch(() => {});
    return result;
  };
}

const fieldsOf = (query: unknown): { readonly text?: unknown; readonly values?: unknown } =>
  typeof query === 'object' && query !== null ? query : {};

const shown = (ms: number): string => ms.toFixed(ms < 10 ? 1 : 0);

await using stack = new AsyncDisposableStack();
process.env['TEST_DATABASE_URL'] ??= await provideDatabase(stack, new AbortController().signal);
const api = stack.use(await openTestApi());
await api.signUp();
const { account, profile } = await api.addProfile('Years');
await cacheRules(api, [BTC, ETH, ...COINS.slice(2).map((symbol) => rulesOf(symbol, symbol.slice(0, -4)))]);
for (const symbol of COINS) await cachePrice(api, symbol, '100');
const startedMs = performance.now();
await fillYears(
  api.database,
  { accountId: account.id, profileId: profile.id },
  { tradesOfCoin: Number(values.trades), logs: Number(values.logs) },
);
const {
  rows: [size],
} = await api.database.pool.query<{ size: string; order: string }>(
  `select pg_size_pretty(pg_database_size(current_database())) as size, (select id from orders limit 1) as order`,
);
console.log(`Filled in ${Math.round((performance.now() - startedMs) / 1000)} s: ${size?.size}.`);

const PARAMS: Readonly<Record<string, string>> = { symbol: 'ETHUSDT', provider: 'ntfy' };
const day = (back: number): string => new Date(Date.now() - back * 86_400_000).toISOString();
/** Queries that the web app or an operator sends, in addition to the bare path. */
const QUERIES: Readonly<Record<string, readonly string[]>> = {
  '/profiles/:id/logs': [
    '',
    'level=info',
    'symbol=ETHUSDT',
    'symbol=NONEUSDT',
    'q=nowhere%20to%20be%20found',
    'level=error',
    `from=${day(30)}&to=${day(29)}`,
  ],
  '/profiles/:id/action-logs': [''],
  '/accounts/:id/orders': ['', 'symbol=ETHUSDT', 'state=live', 'state=final', `profileId=${profile.id}`],
  '/profiles/:id/closed-trades': ['', 'period=day', 'period=month', 'period=all'],
  '/profiles/:id/trade-archive': ['', 'symbol=ETHUSDT', `from=${day(30)}`],
  '/profiles/:id/trade-archive/fills': ['', 'symbol=ETHUSDT'],
  '/accounts/:id/performance': [
    'period=1w',
    'period=1m',
    'period=all',
    `period=custom&from=${day(300)}&to=${day(100)}`,
  ],
  '/accounts/:id/performance/trades': ['period=1w', 'period=all'],
  '/audit-logs': ['', 'action=limits.update', 'subject=profile', 'subject=nobody'],
  '/profiles/:id/equity': ['', `from=${day(365)}`],
  '/candles/columns': [],
  '/candles': [],
  '/tickers': [`accountId=${account.id}&symbols=BTCUSDT`],
  '/symbols': [`accountId=${account.id}`],
};
const EXPORTS = /export|\/docs|openapi|backup$/;

function idFor(path: string): string {
  if (path.startsWith('/accounts')) return account.id;
  if (path.startsWith('/orders')) return size?.order ?? '';
  return profile.id;
}

async function plansOf(statements: readonly Ran[]): Promise<string[]> {
  const scans = new Set<string>();
  for (const { text, values: bound } of statements) {
    if (!/^\s*(select|with)/i.test(text) || /insert|update|delete|pg_notify|advisory/i.test(text)) continue;
    const { rows } = await api.database.pool.query<{ 'QUERY PLAN': string }>(`explain ${text}`, bound);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    for (const [, table = ''] of plan.matchAll(/Seq Scan on (\w+)/g))
      if (GROWING.includes(table)) scans.add(`${table}: ${text.slice(0, 200)}`);
  }
  return [...scans];
}

watchStatements();
const found: Record<string, unknown>[] = [];
const scanned: string[] = [];
for (const operation of OPERATIONS) {
  if (operation.method !== 'GET' || EXPORTS.test(operation.path)) continue;
  const path = operation.path.replaceAll(/:(\w+)/g, (_all, name: string) => PARAMS[name] ?? idFor(operation.path));
  for (const query of QUERIES[operation.path] ?? ['']) {
    const address = `/api${path}${query === '' ? '' : `?${query}`}`;
    const times: number[] = [];
    let [slowest, status, bytes]: [Ran | undefined, number, number] = [undefined, 0, 0];
    for (let time = 0; time < TIMES; time += 1) {
      ran.length = 0;
      const startMs = performance.now();
      const reply = await api.request('GET', address);
      times.push(performance.now() - startMs);
      [status, bytes] = [reply.status, reply.text.length];
      [slowest] = ran.toSorted((a, b) => b.ms - a.ms);
    }
    const statements = [...ran];
    for (const scan of await plansOf(statements)) scanned.push(`${operation.path}?${query} reads all of ${scan}`);
    const [, middle = 0] = times.toSorted((a, b) => a - b);
    found.push({
      operation: `${operation.path}${query === '' ? '' : `?${query.slice(0, 40)}`}`,
      status,
      ms: shown(middle),
      statements: statements.length,
      'slowest ms': shown(slowest?.ms ?? 0),
      kB: (bytes / 1000).toFixed(1),
      middle,
    });
  }
}
const table = found
  .toSorted((a, b) => Number(b['middle']) - Number(a['middle']))
  .map(({ middle: _middle, ...row }) => row);
console.table(table);
for (const scan of scanned) console.log(scan);
process.exitCode = scanned.length === 0 ? 0 : 1;
