import { mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { RETENTION } from '#core/installation/settings.ts';
import { MOVED_STOP, NO_EXECUTION, NO_EXECUTION_DAYS } from '#storage/history/prune.ts';
import { MARKET_START, writeSwingingCandles } from '#test/flow/candles.ts';
import { LIVELY, startProfile } from '#test/flow/profile.ts';
import { openStack, type Stack } from '#test/flow/stack.ts';
import { until } from '#test/flow/until.ts';
import { provideDatabase } from '#test/harness/servers.ts';
import { dueAt } from '#worker/equity-times.ts';
import { report } from './report.ts';

/**
 * How much the database grows in a year with 20 lively coins, each of which buys and sells about eight times a day. Not a
 * year: the rows that come with trades are counted over hours of a market at sixty times its speed. Those that come with
 * time, such as decisions to wait, are folded by the clock, and are counted over minutes of a market at its own speed, too;
 * the larger rate counts. A row has its own bytes and its share of the indexes; a kind that is removed after so many days
 * has at most so many days of rows. Free space in pages that updates leave is not included.
 */
const MARKET_MINUTES = Number(process.env['BENCH_MARKET_MINUTES'] ?? 480);
const CLOCK_MINUTES = Number(process.env['BENCH_CLOCK_MINUTES'] ?? 10);
const [SPEED, COINS, PERIOD] = [60, 20, 180];
const WARM_MS = 60_000;
/** One entry of an index over ids and times with its share of free space, where too few rows have been written to measure it. */
const [INDEX_BYTES, ENOUGH_ROWS] = [48, 2_000];
/** Header and pointer of a row beyond its values, and the filled part of its page. */
const [POINTER_BYTES, FILLED] = [4, 0.9];
const [DAY_MINUTES, YEAR_DAYS] = [1440, 365];

interface Kind {
  readonly name: string;
  readonly table: string;
  readonly where: string;
  /** How long its rows are kept with the retention that a new installation has. */
  readonly days: number;
}

const DEBUG = "level = 'debug'";
const CANCELLED = `order_id in (select id from orders where ${NO_EXECUTION})`;
const DECISION_OF_DEBUG = `id in (select id from action_logs where ${DEBUG})`;
/** Whose rows come with trades alone. */
const WITH_TRADES = new Set([
  ...['orders', 'fills', 'ledger_entries', 'closed_cycles', 'position_history', 'order_evidence'],
  ...['order_evidence of cancelled', 'action_logs', 'action_logs of moved stops', 'decisions'],
]);
const { debugLogDays, actionLogDays, orderEvidenceDays, auditLogDays, equityDays } = RETENTION.defaults;
const kept = (days: number | null): number => Math.min(days ?? YEAR_DAYS, YEAR_DAYS);
const DAYS: Readonly<Record<string, number>> = {
  order_evidence: kept(orderEvidenceDays),
  audit_logs: kept(auditLogDays),
  equity_snapshots: kept(equityDays),
};

const tables = z.array(z.object({ name: z.string() }));
const sizes = z.tuple([
  z.object({
    rows: z.coerce.number(),
    bytes: z.coerce.number(),
    indexes: z.coerce.number(),
    indexbytes: z.coerce.number(),
  }),
]);
const total = z.tuple([z.object({ n: z.coerce.number() })]);

async function numberOf({ database }: Pick<Stack, 'database'>, text: string): Promise<number> {
  return total.parse((await database.pool.query(text)).rows)[0].n;
}

/** Every kind of row that is kept; unlogged tables are caches of limited size. */
async function kindsOf({ database }: Stack): Promise<Kind[]> {
  const { rows } = await database.pool.query(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' and relpersistence = 'p'`,
  );
  return tables.parse(rows).flatMap(({ name }) => {
    const rest = { name, table: name, where: 'true', days: DAYS[name] ?? YEAR_DAYS };
    if (name === 'order_evidence')
      return [
        { ...rest, where: `not ${CANCELLED}` },
        { ...rest, name: 'order_evidence of cancelled', where: CANCELLED, days: NO_EXECUTION_DAYS },
      ];
    if (name !== 'action_logs' && name !== 'decisions') return [rest];
    const where = name === 'action_logs' ? DEBUG : DECISION_OF_DEBUG;
    const waiting = { ...rest, name: `${name} of waiting`, where, days: kept(debugLogDays) };
    if (name === 'decisions') return [{ ...rest, where: `not ${where}` }, waiting];
    return [
      { ...rest, where: `not ${where} and not (${MOVED_STOP})`, days: kept(actionLogDays) },
      { ...rest, name: `${name} of moved stops`, where: MOVED_STOP, days: kept(debugLogDays) },
      waiting,
    ];
  });
}

/** Bytes of a row of a kind with its part of every index of the table. */
async function bytesOf({ database }: Stack, { table, where }: Kind): Promise<number> {
  const { rows } = await database.pool.query(
    `select count(*) as rows, coalesce(avg(pg_column_size(t.*)), 0) as bytes,
        (select count(*) from pg_index where indrelid = '${table}'::regclass) as indexes, pg_indexes_size('${table}') as indexbytes
      from ${table} t where ${where}`,
  );
  const [size] = sizes.parse(rows);
  const all = await numberOf({ database }, `select count(*) as n from ${table}`);
  const index = all >= ENOUGH_ROWS ? size.indexbytes / all : size.indexes * INDEX_BYTES;
  return (size.bytes + POINTER_BYTES) / FILLED + index;
}

interface Grown {
  readonly kind: Kind;
  readonly rowsADay: number;
  readonly bytesOfRow: number;
}

interface Counted {
  readonly grown: readonly Grown[];
  /** Bytes of what does not grow with time: caches, queues and the tables of the server. */
  readonly fixed: number;
}

/** Trades so many minutes of market with all coins, and counts the rows of a day at that rate. */
async function count(speed: number, minutes: number): Promise<Counted> {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'tradewind-year-'));
  const symbols = Array.from({ length: COINS }, (_, nth) => `C${nth}USDT`);
  const recorded = (WARM_MS / 60_000) * speed + minutes + 2 * DAY_MINUTES;
  for (const [nth, symbol] of symbols.entries())
    writeSwingingCandles(folder.path, recorded, { symbol, seed: nth, period: PERIOD, phase: nth / COINS });
  await using stack = await openStack({
    ...{ source: { kind: 'replay', folder: folder.path }, fromMs: MARKET_START + DAY_MINUTES * 60_000, speed },
    account: { balances: { USDT: '100000' } },
  });
  await startProfile(stack, symbols, { config: LIVELY });
  await until(
    'every coin to run',
    async () =>
      (await numberOf(stack, "select count(*) as n from cache_entries where key like 'coin-state:%'")) === COINS,
  );
  await delay(WARM_MS);
  const kinds = await kindsOf(stack);
  const countAll = () =>
    Promise.all(kinds.map(({ table, where }) => numberOf(stack, `select count(*) as n from ${table} where ${where}`)));
  const before = await countAll();
  await delay((minutes * 60_000) / speed);
  const after = await countAll();
  const bytes = await Promise.all(kinds.map((kind) => bytesOf(stack, kind)));
  const grown = kinds.map((kind, nth) => ({
    kind,
    rowsADay: (((after[nth] ?? 0) - (before[nth] ?? 0)) * DAY_MINUTES) / minutes,
    bytesOfRow: bytes[nth] ?? 0,
  }));
  const fixed = await numberOf(
    stack,
    `select pg_database_size(current_database()) - sum(pg_total_relation_size(oid)) as n from pg_class
      where relnamespace = 'public'::regnamespace and relkind = 'r' and relpersistence = 'p'`,
  );
  return { grown, fixed };
}

await using stack = new AsyncDisposableStack();
process.env['TEST_DATABASE_URL'] = await provideDatabase(stack, new AbortController().signal);
const market = await count(SPEED, MARKET_MINUTES);
const clock = await count(1, CLOCK_MINUTES);
const year = market.grown.map(({ kind, rowsADay, bytesOfRow }, nth) => {
  const most = rateOf(kind, rowsADay, clock.grown[nth]?.rowsADay ?? 0);
  return { kind, rowsADay: most, bytesOfRow, megabytes: (most * bytesOfRow * kind.days) / 1e6 };
});

function rateOf({ name }: Kind, byMarket: number, byClock: number): number {
  if (name === 'equity_snapshots') return pointsADay();
  return WITH_TRADES.has(name) ? byMarket : Math.max(byMarket, byClock);
}

/** Points of an equity curve on its second day: the first has more. */
function pointsADay(): number {
  let span: { first: Date; last: Date } | undefined;
  let points = 0;
  for (let minute = 0; minute < 2 * DAY_MINUTES; minute++) {
    const at = dueAt(MARKET_START + minute * 60_000, span);
    if (at !== undefined) span = { first: span?.first ?? at, last: at };
    if (at !== undefined && minute >= DAY_MINUTES) points += 1;
  }
  return points;
}

const MOST = 12;
console.table(
  year
    .toSorted((a, b) => b.megabytes - a.megabytes)
    .slice(0, MOST)
    .map(({ kind, rowsADay, bytesOfRow, megabytes }) => ({
      ...{ rows: kind.name, 'a day': Math.round(rowsADay), 'bytes each': Math.round(bytesOfRow) },
      ...{ 'days kept': kind.days, 'MB after a year': megabytes.toFixed(1) },
    })),
);
const fixedMb = Math.max(market.fixed, clock.fixed) / 1e6;
const gigabytes = (year.reduce((sum, { megabytes }) => sum + megabytes, 0) + fixedMb) / 1000;
const fills = year.find(({ kind }) => kind.name === 'fills')?.rowsADay ?? 0;
console.log(
  `${fills.toFixed(0)} fills a day; ${fixedMb.toFixed(0)} MB do not grow; ${gigabytes.toFixed(2)} GB after a year`,
);
report({
  ...{
    id: 'year.size',
    what: `database after a year with 20 lively coins and ${fills.toFixed(0)} fills a day, extrapolated`,
  },
  ...{ unit: 'GB', values: [gigabytes] },
});
