import { readWhy } from '#api/contract/why.ts';
import { openTestApi } from '#test/api/test-api.ts';
import { provideDatabase } from '#test/harness/servers.ts';
import { report } from './report.ts';

/** How long "why did it not buy" takes over a million decision rows: 20 coins, 1,666 rows a day each, for 30 days. */
const COINS = 20;
const DAYS = 30;
const ROWS = 50_000;
const SPANS = [1, 7, 30];
const QUESTIONS = 40;
const END = Date.UTC(2026, 10, 1);
const DAY_MS = 86_400_000;

const ctx = `jsonb_build_object('event', 'decision', 'kind', 'nothing', 'tick', gen_random_uuid(),
  'reason', (array['entry-above-window-low', 'entry-above-level', 'entry-rsi-high', 'hold-below-arm', 'entry-first'])[1 + i % 5],
  'approval', case when i % 5 = 4 then jsonb_build_object('kind', 'refused', 'reason', 'halt-kill-switch') else '{"kind":"not-needed"}' end,
  'numbers', jsonb_build_object('price', '148.85', 'away', (i % 900) / 100.0 || ' %', 'pad', repeat('x', 700)),
  'lowest', jsonb_build_object('price', '148.15', 'away', round((i % 911) / 100.0, 2) || ' %', 'pad', repeat('y', 300)))`;

await using stack = new AsyncDisposableStack();
process.env['TEST_DATABASE_URL'] ??= await provideDatabase(stack, new AbortController().signal);
const api = stack.use(await openTestApi());
await api.signUp();
const { profile } = await api.addProfile('Asked');
const { pool } = api.database;
for (let coin = 0; coin < COINS; coin++)
  await pool.query(
    `set statement_timeout = 0; insert into action_logs (id, profile_id, symbol, level, msg, ctx, count, first_at, last_at)
     select gen_random_uuid(), '${profile.id}', 'C${coin}USDT', 'debug', 'Waiting', ${ctx}, 1 + i % 40,
       at, at + interval '40 seconds'
     from (select i, to_timestamp(${END / 1000}) - i * interval '${(DAYS * 86_400) / ROWS} seconds' as at
       from generate_series(1, ${ROWS}) as i) as rows`,
  );
await pool.query('vacuum analyze action_logs');
await pool.query('vacuum analyze decisions');
const size = await pool.query<{ logs: string; decisions: string }>(
  `select pg_size_pretty(pg_total_relation_size('action_logs')) as logs, pg_size_pretty(pg_total_relation_size('decisions')) as decisions`,
);
console.log(`${COINS * ROWS} rows: action_logs ${size.rows[0]?.logs}, decisions ${size.rows[0]?.decisions}`);

interface Measured {
  readonly days: number;
  readonly symbol: string;
  readonly to: Date;
  readonly ms: number;
}

const measured: Measured[] = [];
for (let i = 0; i < SPANS.length * QUESTIONS; i++) {
  await pool.query('delete from cache_hits');
  const days = SPANS[i % SPANS.length] ?? 1;
  const to = new Date(END - ((i * 7919) % ((DAYS - days) * 1440 + 1)) * 60_000);
  const symbol = `C${(i * 7) % COINS}USDT`;
  const query = { symbol, from: new Date(to.getTime() - days * DAY_MS).toISOString(), to: to.toISOString() };
  const startMs = performance.now();
  await api.call(readWhy, { params: { id: profile.id }, query });
  measured.push({ days, symbol, to, ms: performance.now() - startMs });
}

function at(rows: readonly Measured[], share: number): number {
  const sorted = rows.map(({ ms }) => ms).toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
}

function print(what: string, rows: readonly Measured[]): void {
  const [median, p95] = [0.5, 0.95].map((share) => at(rows, share).toFixed(0));
  console.log(`${what}: median ${median} ms, p95 ${p95} ms of ${rows.length} questions`);
}
for (const days of SPANS) {
  const rows = measured.filter((row) => row.days === days);
  print(`${days} days`, rows);
  const what = `reasons of a coin over ${days === 1 ? 'a day' : `${days} days`}, among 1,000,000 recorded decisions`;
  report({ id: `why.days-${days}`, what: `${what}, median`, unit: 'ms', values: [at(rows, 0.5)] });
}
print('all', measured);
report({ id: 'why.p95', what: '120 of these questions, p95', unit: 'ms', values: [at(measured, 0.95)] });
const [slowest] = measured.toSorted((a, b) => b.ms - a.ms);
console.log(
  `slowest: ${slowest?.days} days of ${slowest?.symbol} until ${slowest?.to.toISOString()}, ${slowest?.ms.toFixed(0)} ms`,
);
