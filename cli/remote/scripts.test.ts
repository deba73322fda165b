import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { EMAIL, openTestApi, PASSWORD, type TestApi } from '#test/api/test-api.ts';
import { addLogs } from '#test/api/test-records.ts';
import { openDatabase } from '#storage/postgres/database.ts';
import { openEmptyDatabase } from '#test/harness/test-database.ts';
import { until } from '#test/harness/test-outage.ts';

const CHECKOUT = join(import.meta.dirname, '..', '..');
const MAIN = join(CHECKOUT, 'cli/main.ts');
const home = mkdtempSync(join(tmpdir(), 'scripts-'));
let api: TestApi;
before(async () => {
  api = await openTestApi();
  await api.signUp();
});
after(async () => {
  await api[Symbol.asyncDispose]();
  rmSync(home, { recursive: true });
});

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}
const environment = (more: Record<string, string> = {}) => ({
  ...{ PATH: process.env['PATH'], HOME: home, TRADEWIND_URL: api.url },
  ...{ TRADEWIND_EMAIL: EMAIL, TRADEWIND_PASSWORD: PASSWORD, ...more },
});
const node = (args: readonly string[], more: Record<string, string> = {}): Promise<Ran> =>
  new Promise((resolve) => {
    execFile(process.execPath, args, { env: environment(more), cwd: CHECKOUT }, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), out: out.trim(), err: err.trim() }),
    );
  });

/** A script as an operator writes it, in a file of its own. */
const SCRIPT = `import { createClient, ClientProblem } from 'tradewind/client';
import { listProfiles, createProfile } from 'tradewind/contract/profiles';
import { exportLogs } from 'tradewind/contract/records';
const { TRADEWIND_URL: url = '', TRADEWIND_EMAIL: email = '', TRADEWIND_PASSWORD: password = '' } = process.env;
const sessions: string[] = [];
const client = createClient({ url, credentials: () => ({ email, password }), onSession: (one) => sessions.push(one) });
const { profiles } = await client.call(listProfiles, {});
const [first] = profiles;
if (first === undefined) throw new Error('There is no profile.');
const file = await (await client.open(exportLogs, { params: { id: first.id } })).text();
const body = { accountId: first.accountId, name: first.name, strategyName: 'hold' };
const refusal = await client.call(createProfile, { body }).catch((error: unknown) => error);
const again = createClient({ url, session: sessions[0] });
const same = await again.call(listProfiles, {});
console.log(JSON.stringify({
  names: profiles.map(({ name }) => name), file, sessions: sessions.length, same: same.profiles.length,
  refusal: refusal instanceof ClientProblem ? [refusal.message, refusal.problem?.code] : null,
}));
`;

test('a script imports the typed client, signs in by itself and is told what is wrong', async () => {
  const { profile } = await api.addProfile('Scripted');
  await addLogs(api.database, profile.id, [{ level: 'info', msg: 'seen', at: '2026-01-01T00:00:01.000Z' }]);
  // Next to the sources: the name of the package resolves only inside it.
  const path = join(import.meta.dirname, `script-${process.pid}.ts`);
  writeFileSync(path, SCRIPT);
  try {
    const ran = await node([path]);
    assert.deepEqual([ran.code, ran.err], [0, '']);
    const { file, refusal, ...rest } = JSON.parse(ran.out);
    assert.deepEqual(rest, { names: ['Scripted'], sessions: 1, same: 1 });
    assert.match(file, /"msg":"seen"/);
    assert.deepEqual(refusal?.[1], 'conflict');
  } finally {
    rmSync(path);
  }
});

test('logs --follow prints what comes, once, with the count of what is repeated', async () => {
  const { profile } = await api.addProfile('Followed');
  const at = (second: number) => new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString();
  const row = (msg: string, second: number) => ({ level: 'info', msg, at: at(second), symbol: 'BTCUSDT' }) as const;
  await addLogs(api.database, profile.id, [row('first', 1)]);
  const child = spawn(process.execPath, [MAIN, 'logs', '--profile', 'Followed', '--follow'], { env: environment() });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  const lines = (): string[] => out.trim().split('\n');
  try {
    await until('the first row', () => out.includes('first'));
    await addLogs(api.database, profile.id, [row('second', 5), row('third', 4)]);
    await until('both rows', () => out.includes('second') && out.includes('third'));
    await api.database.pool.query(`update action_logs set count = 7, last_at = $1 where msg = 'second'`, [at(9)]);
    await until('its count', () => out.includes('(7 times)'));
    assert.deepEqual(lines(), [
      `${at(1)}  info   BTCUSDT  first`,
      `${at(4)}  info   BTCUSDT  third`,
      `${at(5)}  info   BTCUSDT  second`,
      `${at(9)}  info   BTCUSDT  second (7 times)`,
    ]);
    assert.equal(child.exitCode, null, 'it goes on');
  } finally {
    child.kill();
  }
});

test('backup and restore as commands: one file for its owner alone, put back whole, with the kill switch on', async () => {
  const file = join(home, 'all.backup');
  const { profile } = await api.addProfile('Kept');
  const wrote = await node([MAIN, 'backup', '--to', file], { DATABASE_URL: api.databaseUrl });
  assert.deepEqual([wrote.code, wrote.err], [0, '']);
  assert.match(wrote.out, /^Wrote \d+ rows to .*all\.backup\. The file contains API keys in plaintext/);
  assert.equal(statSync(file).mode & 0o077, 0);
  await using empty = await openEmptyDatabase();
  const restored = await node([MAIN, 'restore', '--from', file], { DATABASE_URL: empty.url });
  assert.deepEqual([restored.code, restored.err], [0, '']);
  assert.match(restored.out, /^Restored the backup of .*The kill switch is on/);
  await using database = openDatabase(empty.url, { max: 1 });
  const names = await database.kysely.selectFrom('profiles').select('name').where('id', '=', profile.id).execute();
  assert.deepEqual(names, [{ name: 'Kept' }]);
  assert.equal((await database.kysely.selectFrom('kill_switches').select('scope').execute())[0]?.scope, 'all');
  writeFileSync(file, 'no backup');
  const refused = await node([MAIN, 'restore', '--from', file], { DATABASE_URL: empty.url });
  assert.equal(refused.code, 1);
  assert.match(refused.err, /^[^\n]+backup[^\n]*$/i);
  assert.equal((await node([MAIN, 'restore'], { DATABASE_URL: empty.url })).code, 2);
  assert.equal((await database.kysely.selectFrom('profiles').select('id').execute()).length > 0, true);
});
