import { parseArgs } from 'node:util';
import { openTestApi } from '#test/api/test-api.ts';
import { BTC, cachePrice, cacheRules, ETH, rulesOf } from '#test/api/test-records.ts';
import { provideDatabase } from '#test/harness/servers.ts';
import { watchStatements } from '#test/harness/watch-statements.ts';
import { COINS, fillYears } from './growth-data.ts';
import { readsOf, scansOf } from './growth-walk.ts';

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

const found: { readonly row: Record<string, unknown>; readonly ms: number }[] = [];
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
  const [, ms = 0] = times.toSorted((a, b) => a - b);
  const row = {
    ...{ operation: name.slice(0, 80), status, ms: shown(ms) },
    ...{ statements: Math.round(statements.length / TIMES), kB: (bytes / 1000).toFixed(1) },
  };
  found.push({ row, ms });
}
console.table(found.toSorted((a, b) => b.ms - a.ms).map(({ row }) => row));
for (const scan of scanned) console.log(scan);
process.exitCode = scanned.length === 0 ? 0 : 1;
