import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createAccount } from '#api/contract/accounts.ts';
import { createProfile } from '#api/contract/profiles.ts';
import { EMAIL, openTestApi, PASSWORD, type TestApi } from '#test/api/test-api.ts';
import { addLogs } from '#test/api/test-records.ts';

const MAIN = join(import.meta.dirname, '../main.ts');
const home = mkdtempSync(join(tmpdir(), 'remote-'));
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

/** A command as an operator types it; the environment is its own. */
function tradewind(args: readonly string[], environment: Record<string, string> = {}): Promise<Ran> {
  const env = { PATH: process.env['PATH'], HOME: home, TRADEWIND_URL: api.url, ...environment };
  return new Promise((resolve) => {
    execFile(process.execPath, [MAIN, ...args], { env }, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), out: out.trim(), err: err.trim() }),
    );
  });
}

test('status needs no session, whatever else asks for one signs in once and keeps it to itself', async () => {
  const { profile } = await api.addProfile('First', { symbols: ['BTCUSDT'] });
  const status = await tradewind(['status', '--json']);
  assert.deepEqual([status.code, JSON.parse(status.out).worker], [0, null]);
  assert.match((await tradewind(['status'])).out, /^api +test-sha +since .*\nworker +not running\ndatabase +migrated/);
  const unsigned = await tradewind(['profiles']);
  assert.deepEqual([unsigned.code, unsigned.err.slice(0, 13)], [1, 'Sign in first']);
  const wrong = await tradewind(['profiles'], { TRADEWIND_EMAIL: EMAIL, TRADEWIND_PASSWORD: 'not this one at all' });
  assert.equal(wrong.code, 1);
  const signed = await tradewind(['profiles'], { TRADEWIND_EMAIL: EMAIL, TRADEWIND_PASSWORD: PASSWORD });
  assert.match(signed.out, new RegExp(`^NAME .*\nFirst +disabled +trailing-trade +BTCUSDT +${profile.id}$`));
  assert.equal(statSync(join(home, '.tradewind/sessions.json')).mode & 0o077, 0);
  const sessions = await api.database.kysely.selectFrom('sessions').select('id').execute();
  const again = await tradewind(['profiles', '--json']);
  assert.equal(JSON.parse(again.out).profiles[0].id, profile.id);
  assert.equal((await api.database.kysely.selectFrom('sessions').select('id').execute()).length, sessions.length);

  const halted = await tradewind(['halt', '--profile', 'First', '--reason', 'a look', '--freeze']);
  assert.match(halted.out, /^Halted: profile First buys nothing since .*; exits are stopped too\.$/);
  const [halt] = await api.database.kysely.selectFrom('kill_switches').selectAll().execute();
  assert.deepEqual(
    [halt?.scope, halt?.subject, halt?.reason, halt?.freeze_exits],
    ['profile', profile.id, 'a look', true],
  );
  assert.equal((await tradewind(['resume', '--profile', profile.id])).out, 'Released: profile First.');
  assert.match((await tradewind(['halt'])).out, /^Halted: everything buys nothing since/);
  assert.equal((await tradewind(['resume'])).out, 'Released: everything.');
  assert.deepEqual(await api.database.kysely.selectFrom('kill_switches').selectAll().execute(), []);

  const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`;
  await addLogs(api.database, profile.id, [
    { level: 'info', msg: 'bought', at: at(1), symbol: 'BTCUSDT' },
    { level: 'warn', msg: 'refused', at: at(2) },
  ]);
  const logs = await tradewind(['logs', '--profile', 'First']);
  assert.deepEqual(logs.out.split('\n'), [`${at(1)}  info   BTCUSDT  bought`, `${at(2)}  warn   -  refused`]);
  assert.equal((await tradewind(['logs', '--profile', 'First', '--level', 'warn'])).out, `${at(2)}  warn   -  refused`);
});

test('a stored name or message with control characters cannot steer the terminal or forge a line', async () => {
  const { profile } = await api.addProfile('Old name');
  const hostile = 'x\u001b]0;OWNED\u0007\r\nfake line\u202e';
  const { kysely } = api.database;
  await kysely.updateTable('profiles').set({ name: hostile }).where('id', '=', profile.id).execute();
  await addLogs(api.database, profile.id, [{ level: 'warn', msg: hostile, at: '2026-01-01T00:00:01.000Z' }]);
  const environment = { TRADEWIND_EMAIL: EMAIL, TRADEWIND_PASSWORD: PASSWORD };
  for (const args of [['profiles'], ['logs', '--profile', profile.id]]) {
    const { out } = await tradewind(args, environment);
    assert.match(out, /x\\u\{1b\}\]0;OWNED/);
    assert.doesNotMatch(out, /[^\P{Cc}\n]|\p{Cf}|^fake line/mu);
  }
});

test('what is wrong is one sentence, and nothing is changed', async () => {
  const cases: readonly (readonly [readonly string[], Record<string, string>, number, RegExp])[] = [
    [['halt', '--all'], {}, 2, /has no flag --all/],
    [['halt', '--profile', 'Second'], {}, 1, /There is no profile "Second"; there are: "First"/],
    [['halt', '--profile', 'First', '--account', 'x'], {}, 1, /not both/],
    [['logs'], {}, 1, /--profile NAME/],
    [['logs', '--profile', 'First', '--level', 'loud'], {}, 1, /level/],
    [['status'], { TRADEWIND_URL: 'http://127.0.0.1:1' }, 1, /No server answers at http:\/\/127\.0\.0\.1:1/],
  ];
  for (const [args, environment, code, words] of cases) {
    const ran = await tradewind(args, environment);
    assert.deepEqual([ran.code, ran.out], [code, ''], args.join(' '));
    assert.match(ran.err, words);
  }
  assert.deepEqual(await api.database.kysely.selectFrom('kill_switches').selectAll().execute(), []);
});

test('a token is created, used by another command, listed and revoked', async () => {
  const signedIn = { TRADEWIND_EMAIL: EMAIL, TRADEWIND_PASSWORD: PASSWORD };
  const created = await tradewind(['token', 'create', '--name', 'Cron', '--scope', 'read', '--days', '7'], signedIn);
  const [token = ''] = created.out.split('\n');
  assert.match(token, /^tw_[\w-]{49}$/);
  const elsewhere = { HOME: join(home, 'elsewhere'), TRADEWIND_TOKEN: token };
  assert.equal((await tradewind(['profiles'], elsewhere)).code, 0);
  assert.match((await tradewind(['resume'], elsewhere)).err, /token may only engage/);
  assert.match((await tradewind(['token', 'list'], signedIn)).out, /Cron +read/);
  assert.equal((await tradewind(['token', 'revoke', '--name', 'Cron'], signedIn)).out, 'Revoked: Cron.');
  assert.match((await tradewind(['profiles'], elsewhere)).err, /unknown, expired or revoked/);
  assert.equal((await tradewind(['token', 'nothing'], signedIn)).code, 2);
  assert.match((await tradewind(['token', 'create', '--name', 'x', '--scope', 'all'], signedIn)).err, /no scope "all"/);
});

test('an inlet is created, listed, gets another secret and is deleted', async () => {
  const signedIn = { TRADEWIND_EMAIL: EMAIL, TRADEWIND_PASSWORD: PASSWORD };
  const account = await api.call(createAccount, { body: { name: 'Alerts', exchangeMode: 'testnet' } });
  const body = { accountId: account.id, name: 'Alerts', strategyName: 'signal', symbols: ['XRPUSDT'] };
  await api.call(createProfile, { body });
  const of = ['--profile', 'Alerts', '--name', 'Charts'];
  const created = await tradewind(['inlet', 'create', ...of, '--max-age', '30'], signedIn);
  assert.match(created.out, /^Address: \/api\/signals\/[\w-]{22} /);
  assert.match(created.out, /^Secret: {2}tw_[\w-]{49}$/m);
  assert.match((await tradewind(['inlet', 'list', '--profile', 'Alerts'], signedIn)).out, /Charts +30 s/);
  const replaced = await tradewind(['inlet', 'replace', ...of], signedIn);
  assert.notEqual(/tw_[\w-]{49}/.exec(replaced.out)?.[0], /tw_[\w-]{49}/.exec(created.out)?.[0]);
  const csv = await tradewind(['signals', '--profile', 'Alerts', '--csv'], signedIn);
  assert.equal(csv.out, 'time,symbol,action,id');
  assert.equal((await tradewind(['inlet', 'delete', ...of], signedIn)).out, 'Deleted: Charts.');
});

test('why prints the reasons of a coin', async () => {
  const signedIn = { TRADEWIND_EMAIL: EMAIL, TRADEWIND_PASSWORD: PASSWORD };
  const { profile } = await api.addProfile('Patient', { symbols: ['SOLUSDT'] });
  await api.database.pool.query(
    `insert into action_logs (id, profile_id, symbol, level, msg, ctx, first_at, last_at)
      values (gen_random_uuid(), $1, 'SOLUSDT', 'debug', 'Buying is switched off.',
        '{"event":"decision","reason":"entry-disabled","approval":{"kind":"not-needed"}}', $2, $2)`,
    [profile.id, '2026-06-01T12:00:00Z'],
  );
  const span = ['--from', '2026-06-01', '--to', '2026-06-02'];
  const { out } = await tradewind(['why', '--profile', 'Patient', '--symbol', 'SOLUSDT', ...span], signedIn);
  assert.match(out, /1 decisions, 0\.7 % of the time covered/);
  assert.match(out, /entry-disabled +strategy +2026-06-01T12:00:00\.000Z +Buying is switched off\./);
  assert.match((await tradewind(['why', '--symbol', 'SOLUSDT'], signedIn)).err, /Set the profile/);
});
