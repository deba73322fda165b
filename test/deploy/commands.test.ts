import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { after, before, test } from 'node:test';
import { signIn, signUp } from '#api/contract/session.ts';
import { createToken } from '#api/contract/tokens.ts';
import { listAccounts } from '#api/contract/accounts.ts';
import { parseAccounts } from '#paper/exchange/accounts.ts';
import { startPaper } from '#paper/server.ts';
import { openTestDatabase, type TestDatabase } from '#test/harness/test-database.ts';
import { startApp } from '#test/faults/app.ts';
import { MARKET_START, writeSwingingCandles } from '#test/flow/candles.ts';
import { type ApiClient, createClient } from '#test/flow/client.ts';
import { startProfile } from '#test/flow/profile.ts';
import { until } from '#test/flow/until.ts';
import { type Fenced, fencedBlocks, operatorDocuments } from '#test/harness/fenced.ts';
import { freePort } from '#test/harness/servers.ts';
import { ROOT } from '#test/harness/source-files.ts';

const OPERATOR = { email: 'operator@example.org', password: 'a long enough password' };
const NOBODY = { name: 'nobody', apiKey: 'a key', secret: 'a secret' };
const DAY_MINUTES = 1440;
/** Enough for the backtests and the walk of 90 and 30 days. */
const DAYS = 130;
/** Commands that run until they are stopped, and the text that they print once they serve. */
const STAYS = /^(npm start|npx tradewind (start|paper))\b/m;
const SERVES = /Ready after|"ready":true/;

/** Its commands need a deployment that is a demo: live-demo.test.ts runs them. */
const ELSEWHERE = 'docs/operator/live-demo.md';

const blocks = operatorDocuments()
  .filter((path) => path !== ELSEWHERE)
  .flatMap(fencedBlocks);
const kept = blocks.filter(({ needs }) => needs === undefined);
const resources = new AsyncDisposableStack();
let folder = '';
let home = '';
let checkout = '';
let database: TestDatabase;
let env: NodeJS.ProcessEnv = {};
let operator: ApiClient;

/** The files of a checkout in a place of their own: what the commands write stays out of the one that is tested. */
function copyCheckout(to: string): void {
  const out = new Set(['node_modules', '.git', '.tradewind', '.env', join('web', 'dist')]);
  cpSync(ROOT, to, {
    recursive: true,
    filter: (path) => !out.has(relative(ROOT, path)) && !path.endsWith('node_modules'),
  });
  symlinkSync(join(ROOT, 'node_modules'), join(to, 'node_modules'));
}

/** A settled service: an operator, a profile that trades, and stored values above their maximum. Returns its client. */
async function settle(url: string): Promise<ApiClient> {
  const client = createClient(`${url}/api`);
  await client.call(signUp, { body: OPERATOR });
  const [account] = (await client.call(listAccounts, {})).accounts;
  assert.ok(account !== undefined);
  const profileId = await startProfile({ ...client, accountId: account.id }, ['BTCUSDT']);
  const { pool } = database.database;
  await pool.query(`update profiles set config = jsonb_set(config, '{buy,candleLimit}', '1000') where id = $1`, [
    profileId,
  ]);
  await pool.query(
    `update profile_symbols set override_config = '{"buy":{"candleLimit":1000}}' where profile_id = $1`,
    [profileId],
  );
  return client;
}

before(
  async () => {
    folder = mkdtempSync(join(tmpdir(), 'tradewind-commands-'));
    resources.defer(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
    chmodSync(folder, 0o711);
    checkout = join(folder, 'checkout');
    home = join(folder, 'home');
    const candles = join(home, 'Downloads', 'klines');
    mkdirSync(candles, { recursive: true });
    copyCheckout(checkout);
    for (const symbol of ['BTCUSDT', 'ETHUSDT']) writeSwingingCandles(candles, DAYS * DAY_MINUTES, { symbol });
    database = resources.use(await openTestDatabase());
    const startMs = MARKET_START + DAY_MINUTES * 60_000;
    const exchange = resources.use(
      await startPaper({
        ...{
          source: { kind: 'replay', folder: candles },
          fromMs: startMs,
          speed: 1,
          clock: { kind: 'virtual', startMs },
        },
        ...{ port: 0, controlPort: 0, accounts: parseAccounts([NOBODY], 'The accounts of the test') },
      }),
    );
    const app = resources.use(
      await startApp({
        dataDir: join(folder, 'data'),
        args: ['--port', '0'],
        env: { DATABASE_URL: database.url, CACHE_URL: '' },
      }),
    );
    operator = await settle(app.url);
    env = {
      ...{ PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`, HOME: home, CI: 'true' },
      ...{ DATABASE_URL: database.url, LIVE_REST_URL: exchange.url, PORT: String(await freePort()) },
      ...{ TRADEWIND_URL: app.url, TRADEWIND_EMAIL: OPERATOR.email, TRADEWIND_PASSWORD: OPERATOR.password },
    };
  },
  { timeout: 120_000 },
);
after(() => resources.disposeAsync());

/** Commands that do not name the token sign in. */
const namesToken = ({ text, language }: Fenced): boolean => text.includes('TRADEWIND_TOKEN') || language === 'ts';

/** A token that reads. A backup contains no tokens, so one from before a restore is invalid. */
async function newToken(): Promise<string> {
  const { email, password } = OPERATOR;
  await operator.call(signIn, { body: { email, password } });
  return (await operator.call(createToken, { body: { name: 'Reader', scopes: ['read'] } })).token;
}

/** Runs the block as a shell would, in the checkout; one that stays is stopped once it serves. */
async function runShell(block: Fenced): Promise<string> {
  // The running service keeps its data elsewhere.
  const text = block.text
    .replaceAll('.tradewind/paper-control', join(folder, 'data/paper-control'))
    .replace('http://127.0.0.1:8080', env['TRADEWIND_URL'] ?? '');
  const own = namesToken(block) ? { ...env, TRADEWIND_TOKEN: await newToken() } : env;
  const stays = STAYS.test(block.text);
  // A start brings its own database, as it does for a reader of the page.
  const child = spawn('bash', ['-euo', 'pipefail', '-c', text], {
    cwd: checkout,
    env: stays ? { ...own, DATABASE_URL: '' } : own,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += String(text)));
  const ended = once(child, 'close');
  if (stays) {
    await until(`${block.path}:${block.line} to serve`, () => {
      assert.equal(child.exitCode, null, output);
      return SERVES.test(output);
    });
    process.kill(-(child.pid ?? 0), 'SIGTERM');
  }
  await ended;
  if (!stays) assert.equal(child.exitCode, 0, output);
  // An answer of curl has the exit code 0 whatever its status.
  assert.doesNotMatch(output, /"error"|urn:tradewind:problem:/);
  return output;
}

for (const { path, line, text, needs } of blocks)
  if (needs !== undefined)
    console.log(`﹣ ${path}:${line} (${text.split('\n')[0]}) is not run here: it needs ${needs}`);

test('every block is of a kind that is run, written to a file, or only looked at', () => {
  const strange = blocks.filter(
    ({ language, file }) =>
      !['sh', 'sql', 'ts', 'yaml', ''].includes(language) && !(language === 'json' && file !== undefined),
  );
  assert.deepEqual(strange, []);
  assert.ok(kept.filter(({ language }) => language === 'sh').length >= 8, 'the documents hold commands');
});

for (const block of kept) {
  const name = `${block.path}:${block.line} does what it says: ${block.text.split('\n')[0]}`;
  if (block.language === 'json') before(() => writeFileSync(join(checkout, block.file ?? ''), block.text));
  if (block.language === 'sh') test(name, { timeout: 180_000 }, async () => void (await runShell(block)));
  if (block.language === 'ts')
    test(name, { timeout: 60_000 }, async () => {
      const text = block.text.replace('http://127.0.0.1:8080', env['TRADEWIND_URL'] ?? '');
      writeFileSync(join(checkout, 'script.ts'), text);
      await runShell({ ...block, text: 'node script.ts' });
    });
  if (block.language === 'sql')
    test(name, async () => assert.equal((await database.database.pool.query(block.text)).rows.length, 1));
}
