import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runTests } from '#test/harness/run-tests.ts';
import { ROOT } from '#test/harness/source-files.ts';
import { addTallies, NOTHING, type Tally, tallyText } from '#test/harness/tally.ts';
import { endEngine } from './engine.ts';

/** The subject of each tier, by its name on the command line. Each is a file of tests that runs alone. */
const TIERS = {
  debian: 'systemd units and the commands of docs/operator/deploy.md in a bare Debian',
  demo: 'the live demo in containers: seed, reset, limits',
  compose: 'image and Compose file in a container engine',
  scale: 'three api, three workers and four research workers: a sweep that they share, and an upgrade under load',
  kubernetes: 'the chart in a Kubernetes API server',
} as const;
type TierName = keyof typeof TIERS;

const USAGE = `npm run test:deploy -- [--files] [tier …]
  --files     the tests of the files of deploy/, which need neither root nor containers
${Object.entries(TIERS)
  .map(([name, what]) => `  ${name.padEnd(10)}  ${what}`)
  .join('\n')}
Without an argument: everything. The first run of kubernetes builds an API server, which takes some minutes.
UPGRADES=10 upgrades that often. Downloads are kept in $XDG_CACHE_HOME/tradewind-deploy.`;

interface Row {
  readonly name: string;
  readonly tally: Tally;
  readonly seconds: number;
  readonly versions: readonly string[];
}

const isTier = (name: string): name is TierName => Object.hasOwn(TIERS, name);
const interrupted = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => interrupted.abort());

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { files: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
});
const unknown = positionals.filter((name) => !isTier(name));
if (values.help || unknown.length > 0) {
  if (unknown.length > 0) console.error(`There is no tier ${unknown.join(', ')}.`);
  console.log(USAGE);
  process.exitCode = unknown.length > 0 ? 2 : 0;
} else {
  process.exitCode = await main();
}

async function main(): Promise<number> {
  const all = positionals.length === 0 && !values.files;
  const filesFailed = (all || values.files) && !(await runFiles());
  const rows: Row[] = [];
  for (const name of all ? Object.keys(TIERS) : positionals)
    if (isTier(name) && !interrupted.signal.aborted) {
      const row = await runTier(name);
      rows.push(row);
      noteRow(row);
    }
  // The tests of an interrupted run could not end it.
  if (interrupted.signal.aborted) await endEngine(true);
  if (rows.length > 0) console.log(`\n${tableOf(rows)}`);
  const tally = rows.reduce((sum, row) => addTallies(sum, row.tally), NOTHING);
  if (rows.length > 0) console.log(tallyText(tally));
  return filesFailed || tally.failed > 0 || interrupted.signal.aborted ? 1 : 0;
}

async function runTier(name: TierName): Promise<Row> {
  const folder = mkdtempSync(join(tmpdir(), 'tradewind-tier-'));
  const versions = join(folder, 'versions');
  process.env['TIER_VERSIONS'] = versions;
  const startMs = performance.now();
  console.log(`\n== ${name}: ${TIERS[name]}`);
  const counted = await runTests([`test/containers/${name}.test.ts`], interrupted.signal);
  // Tests that were ended from outside have not failed.
  const tally = interrupted.signal.aborted ? { ...counted, failed: 0, skipped: 1 } : counted;
  const noted = existsSync(versions) ? readFileSync(versions, 'utf8').trim().split('\n') : [];
  rmSync(folder, { recursive: true });
  return { name, tally, seconds: (performance.now() - startMs) / 1000, versions: [...new Set(noted)] };
}

/** `.ci/run` names a file for its table of all tiers: one line a tier, its cells divided by tabs. */
function noteRow({ name, tally, seconds, versions }: Row): void {
  const file = process.env['TIER_ROWS'];
  const cells = [name, tally.passed, tally.failed, tally.skipped, seconds.toFixed(0), versions.join(', ')];
  if (file !== undefined) appendFileSync(file, `${cells.join('\t')}\n`);
}

/** The tests of deploy/ that run in processes. */
async function runFiles(): Promise<boolean> {
  for (const args of [['test/auth-proxy/install.ts'], ['test/run.ts', 'test/auth-proxy/', 'test/deploy/']]) {
    const child = spawn(process.execPath, args, { cwd: ROOT, stdio: 'inherit' });
    await once(child, 'close');
    if (child.exitCode !== 0) return false;
  }
  return true;
}

function tableOf(rows: readonly Row[]): string {
  const cells = rows.map(({ name, tally, seconds, versions }) => [
    ...[name, String(tally.passed), String(tally.failed), String(tally.skipped), `${seconds.toFixed(0)} s`],
    versions.join(', ') || '-',
  ]);
  const head = ['tier', 'passed', 'failed', 'skipped', 'time', 'versions'];
  const widths = head.map((title, i) => Math.max(title.length, ...cells.map((row) => row[i]?.length ?? 0)));
  return [head, ...cells]
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
