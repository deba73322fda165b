import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { createLog } from '#integrations/log.ts';
import { takeBackup } from '#storage/backup/take.ts';
import { openQueue } from '#storage/jobs/queue.ts';
import { readMigrationFiles } from '#storage/postgres/migration-files.ts';
import { MARKET_START, writeSwingingCandles } from '#test/flow/candles.ts';
import { openStack } from '#test/flow/stack.ts';
import { ROOT } from '#test/harness/source-files.ts';
import { measureTables } from './measures.ts';
import { COINS, runSession } from './session.ts';

/**
 * Records the data of this version: runs the session of session.ts on a replayed market, then writes a backup, a dump of the
 * whole database as a data folder holds it, and the measures of both to a folder named after the newest migration.
 * Needs TEST_DATABASE_URL and pg_dump. Ids and times differ between two runs, the actions do not.
 */
async function record(): Promise<string> {
  const newest = (await readMigrationFiles()).at(-1);
  const folder = join(ROOT, 'test/upgrade', newest?.name ?? '');
  using market = mkdtempDisposableSync(join(tmpdir(), 'tradewind-record-'));
  for (const [i, symbol] of COINS.entries())
    writeSwingingCandles(market.path, 60 * 24 * 10, { symbol, seed: 7 + i, phase: i / COINS.length });
  await using stack = await openStack({
    source: { kind: 'replay', folder: market.path },
    fromMs: MARKET_START + 86_400_000,
    speed: 600,
    account: { balances: { USDT: '10000', BNB: '2' }, feesInBnb: true },
    candleDir: join(market.path, 'candles'),
  });
  const log = createLog({ name: 'record', level: 'warn' });
  await using queue = await openQueue(stack.databaseUrl, { log, works: false });
  await runSession(stack, queue);
  await stack.stopWorker();
  mkdirSync(folder, { recursive: true });
  await takeBackup(stack.database, join(folder, 'tradewind.backup'));
  writeFileSync(join(folder, 'database.sql.gz'), gzipSync(dumpOf(stack.databaseUrl), { level: 9 }));
  writeFileSync(join(folder, 'measures.json'), `${JSON.stringify(await measureTables(stack.databaseUrl), null, 2)}\n`);
  return folder;
}

/** Plain SQL: without the commands of psql, and without the folder of this checkout, which traces of failed jobs hold. */
function dumpOf(url: string): string {
  const options = ['--no-owner', '--no-privileges', '--inserts', '--rows-per-insert=200'];
  const text = execFileSync('pg_dump', [...options, url], { encoding: 'utf8', maxBuffer: 1024 ** 3 });
  return text.replace(/^\\.*$/gm, '').replaceAll(ROOT, '/tradewind');
}

console.log(await record());
