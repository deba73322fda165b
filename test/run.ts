import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runChecks } from '#test/harness/checks.ts';
import { findBrowser } from '#test/harness/programs.ts';
import { runTests } from '#test/harness/run-tests.ts';
import { provideCache, provideDatabase } from '#test/harness/servers.ts';
import { ROOT } from '#test/harness/source-files.ts';
import { addTallies, NOTHING, type Tally, tallyText } from '#test/harness/tally.ts';
import { integrationOnly, findTestFiles, type TestFiles } from '#test/harness/test-files.ts';

const USAGE = `npm test -- [--check | --servers] [part of a path …]
  --check    types, lint, format, unused code and the tests that need nothing but Node
  --servers  only the tests that need a database or start processes`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    check: { type: 'boolean', default: false },
    servers: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const interrupted = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(name, () => interrupted.abort(new Error(`Stopped by ${name}.`)));
}

// Every test file is a process of its own: what one has compiled, the next need not.
process.env['NODE_COMPILE_CACHE'] ??= join(ROOT, 'node_modules', '.cache', 'compiled');

process.exitCode = values.help ? help() : await main();

function help(): number {
  console.log(USAGE);
  return 0;
}

async function main(): Promise<number> {
  const found = findTestFiles(positionals);
  const files = values.servers ? integrationOnly(found) : found;
  const count = Object.values(files).flat().length;
  if (count === 0) {
    console.error(`No test file fits: ${positionals.join(', ')}`);
    return 1;
  }
  const checked = positionals.length === 0 && !values.servers ? await runChecks(interrupted.signal) : NOTHING;
  const tested = values.check ? await runTests(files.unit, interrupted.signal) : await runEverything(files);
  const tally = addTallies(checked, tested);
  if (interrupted.signal.aborted) console.log('Stopped before the end.');
  console.log(tallyText(tally));
  return tally.failed > 0 || interrupted.signal.aborted ? 1 : 0;
}

/** Brings up what the tests need and takes it down again, whatever happens. */
async function runEverything(files: TestFiles): Promise<Tally> {
  const browser = files.browser.length > 0 ? findBrowser() : undefined;
  const started = [...files.integration, ...(browser === undefined ? [] : files.browser)];
  const others = [...files.long, ...files.unit];
  if (started.length === 0) return addTallies(await runTests(others, interrupted.signal), leftOut(files, browser));
  await using stack = new AsyncDisposableStack();
  try {
    process.env['TEST_DATABASE_URL'] = await provideDatabase(stack, interrupted.signal);
    const cache = await provideCache(stack);
    if (cache !== undefined) process.env['TEST_CACHE_URL'] = cache;
    else console.log('﹣ Redis: no redis-server or valkey-server on this machine, so its adapter is not tested here');
  } catch (error) {
    console.error(`The tests need a database: ${error instanceof Error ? error.message : String(error)}`);
    return { ...NOTHING, failed: 1 };
  }
  if (browser !== undefined) process.env['TEST_BROWSER'] = browser;
  const tally = await runTests([...others, ...started], interrupted.signal);
  return addTallies(tally, leftOut(files, browser));
}

function leftOut({ browser }: TestFiles, found: string | undefined): Tally {
  if (browser.length === 0 || found !== undefined) return NOTHING;
  for (const path of browser) console.log(`﹣ ${path}: no Chromium on this machine, so it is not tested here`);
  return { ...NOTHING, skipped: browser.length };
}
