import { parseArgs } from 'node:util';
import { openTestApi } from '#test/api/test-api.ts';
import { BTC, cachePrice, cacheRules, ETH, rulesOf } from '#test/api/test-records.ts';
import { provideDatabase } from '#test/harness/servers.ts';
import { watchStatements } from '#test/harness/watch-statements.ts';
import { COINS, fillYears } from './growth-data.ts';
import { readsOf, scansOf } from './growth-walk.ts';
import { report } from './report.ts';

/**
 * Every read of the API over a database of years: 5,000,000 log rows, 1,000,000 orders and fills, 2,000,000 ledger rows,
 * 500,000 closed trades of 20 coins on one account. Prints the median time and the number of statements of each operation,
 * and fails when a statement reads a growing table from its first row to its last.
 */
const TIMES = 3;
const { values } = parseArgs({
  options: { trades: { type: 'string', default: '25000' }, logs: { type: 'string', default: '5000000' } },
});

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

interface Timed {
  readonly name: string;
  readonly ms: number;
  /** Of its slowest statement; the median when it was sent several times. */
  readonly statementMs: number;
  readonly row: Record<string, unknown>;
}

const middleOf = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0;

const found: Timed[] = [];
const scanned: string[] = [];
for (const { name, address } of readsOf({
  accountId: account.id,
  profileId: profile.id,
  orderId: size?.order ?? '',
})) {
  const times: number[] = [];
  let [status, bytes] = [0, 0];
  using watch = watchStatements();
  for (let time = 0; time < TIMES; time += 1) {
    const startMs = performance.now();
    const reply = await api.request('GET', address);
    times.push(performance.now() - startMs);
    [status, bytes] = [reply.status, reply.text.length];
  }
  const statements = [...watch.statements];
  for (const scan of await scansOf(api.database, statements)) scanned.push(`${name} reads all of ${scan}`);
  const ms = middleOf(times);
  const byText = Map.groupBy(statements, ({ text }) => text).values();
  const statementMs = Math.max(0, ...byText.map((same) => middleOf(same.map((each) => each.ms ?? 0))));
  const row = {
    ...{ operation: name.slice(0, 80), status, ms: shown(ms) },
    ...{ statements: Math.round(statements.length / TIMES), 'slowest ms': shown(statementMs) },
    kB: (bytes / 1000).toFixed(1),
  };
  found.push({ name, ms, statementMs, row });
}
console.table(found.toSorted((a, b) => b.ms - a.ms).map(({ row }) => row));
for (const scan of scanned) console.log(scan);
reportReads();
process.exitCode = scanned.length === 0 ? 0 : 1;

/** The reads that take longest, each alone, the others together, and the slowest statement of all. */
function reportReads(): void {
  const database = 'over 500,000 closed trades and 1,000,000 orders and fills';
  const own = new Map([
    ['/accounts/:id/performance?period=all', ['growth.performance-all', '*Performance* of all time']],
    ['/accounts/:id/performance?period=1m', ['growth.performance-month', '*Performance* of a month']],
    ['/accounts/:id/performance?period=1w', ['growth.performance-week', '*Performance* of a week by hours']],
    [
      '/accounts/:id/performance/trades?period=all',
      ['growth.performance-trades', 'the list of trades of *Performance*'],
    ],
    ['/dashboard', ['growth.dashboard', 'the overview']],
  ]);
  for (const { name, ms } of found) {
    const [id, what] = own.get(name) ?? [];
    if (id !== undefined) report({ id, what: `${what} ${database}`, unit: 'ms', values: [ms] });
  }
  const others = found.filter(({ name }) => !own.has(name)).map(({ ms }) => ms);
  report({ id: 'growth.others', what: `each other read of the API ${database}`, unit: 'ms', values: others });
  const statements = found.map(({ statementMs }) => statementMs);
  report({ id: 'growth.statement', what: 'the slowest statement of each read', unit: 'ms', values: statements });
}
