import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { UPLOADED_FILE } from '#storage/backup/lines.ts';
import { restoreBackup } from '#storage/backup/restore.ts';
import { takeBackup } from '#storage/backup/take.ts';
import type { Database } from '#storage/postgres/database.ts';
import { openTestDatabase } from '#test/harness/test-database.ts';
import { provideDatabase } from '#test/harness/servers.ts';
import { report } from './report.ts';

/**
 * A backup of BACKUP_BENCH_MB megabytes of rows, 2048 unless set, written and restored into an empty database: seconds,
 * peak memory of this process, and the longest time for which the event loop did nothing else.
 */
const MEGABYTES = Number(process.env['BACKUP_BENCH_MB'] ?? 2048);
const ROWS_AT_ONCE = 64;
const MIB = 1024 ** 2;

await using stack = new AsyncDisposableStack();
process.env['TEST_DATABASE_URL'] = await provideDatabase(stack, new AbortController().signal);
const folder = mkdtempSync(join(tmpdir(), 'tradewind-bench-'));
stack.defer(() => rmSync(folder, { recursive: true }));
const path = join(folder, 'bench.backup');

/** Half in rows of a few hundred bytes, half in rows of 1.6 MB: logs, and results of backtests over many coins. */
async function fill({ pool }: Database): Promise<void> {
  const insert = `insert into audit_logs (id, action, subject, ip, after)
    select gen_random_uuid(), 'bench', n::text, '', jsonb_build_object('text',
      (select string_agg(md5(n::text || m::text), ' ') from generate_series(1, $2::int) m))
    from generate_series(1, $1::int) n`;
  for (let bytes = 0; bytes < MEGABYTES * MIB; bytes += 2 * ROWS_AT_ONCE * 1.6 * MIB) {
    await pool.query(insert, [ROWS_AT_ONCE, Math.round((1.6 * MIB) / 33)]);
    await pool.query(insert, [Math.round((ROWS_AT_ONCE * 1.6 * MIB) / 600), 14]);
  }
}

async function measure(
  what: 'backup' | 'restore',
  work: () => Promise<unknown>,
): Promise<Record<string, string | number>> {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  const startedMs = performance.now();
  await work();
  const seconds = (performance.now() - startedMs) / 1000;
  delay.disable();
  const name = `${what} of ${MEGABYTES} MB of rows`;
  report({ id: `backup.${what}`, what: name, unit: 's', values: [seconds] });
  report({
    id: `backup.${what}-pause`,
    what: `${name}, longest pause of its process`,
    unit: 'ms',
    values: [delay.max / 1e6],
  });
  return {
    what,
    seconds: seconds.toFixed(1),
    'peak MB': Math.round(process.resourceUsage().maxRSS / 1024),
    'longest pause ms': Math.round(delay.max / 1e6),
  };
}

await using from = await openTestDatabase();
await using to = await openTestDatabase();
await fill(from.database);
const taken = await measure('backup', () => takeBackup(from.database, path));
const restored = await measure('restore', () => restoreBackup(to.database, path, { limits: UPLOADED_FILE }));
const sums = `select count(*) || ' ' || sum(hashtextextended(t::text, 0)::numeric) as sum from audit_logs t`;
const [before, after] = await Promise.all([from, to].map(({ database }) => database.pool.query<{ sum: string }>(sums)));
if (before?.rows[0]?.sum !== after?.rows[0]?.sum) throw new Error('The restored rows differ.');
console.log(`${MEGABYTES} MB of rows, ${Math.round(statSync(path).size / MIB)} MB packed`);
console.table([taken, restored]);
const peakMb = process.resourceUsage().maxRSS / 1024;
report({ id: 'backup.memory', what: 'memory of both at its peak', unit: 'MB', values: [peakMb] });
