import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { createAccount } from '#storage/operator/accounts.ts';
import { until } from '#test/flow/until.ts';
import { openEmptyDatabase, openTestDatabase } from '#test/harness/test-database.ts';
import { createOperator } from '#storage/operator/users.ts';

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));

/** The real process, alone: what it says and how it ends. */
async function run(environment: Record<string, string>): Promise<{ code: number; stderr: string }> {
  const child = spawn(process.execPath, [MAIN], { env: { PORT: '0', LOG_LEVEL: 'silent', ...environment } });
  let stderr = '';
  child.stderr.on('data', (data: Buffer) => {
    stderr += data.toString();
  });
  const [code] = await once(child, 'close');
  return { code, stderr };
}

const sentence = (stderr: string): void => {
  assert.doesNotMatch(stderr, /\n\s+at /);
  assert.equal(stderr.trim().split('\n').length, 1, stderr);
};

test('a live account keeps a live demo from starting', async () => {
  await using opened = await openTestDatabase();
  const { kysely } = opened.database;
  const user = await createOperator(kysely, { email: 'a@example.org', passwordHash: 'x', timezone: 'UTC' });
  assert.ok(user !== undefined);
  await createAccount(kysely, { userId: user.id, name: 'Real', exchangeMode: 'live', endpoint: 'exchange' });
  const { code, stderr } = await run({ DATABASE_URL: opened.url, LIVE_DEMO: '1' });
  assert.equal(code, 78);
  assert.match(stderr, /LIVE_DEMO is on, but an account trades real money/);
  sentence(stderr);
});

test('bad settings, a database without its schema and one that is not there end with a sentence', async () => {
  const wildcard = await run({ DATABASE_URL: 'postgres://x@127.0.0.1:1/x', WEB_ORIGIN: '*' });
  assert.equal(wildcard.code, 78);
  assert.match(wildcard.stderr, /WEB_ORIGIN contains "\*"/);
  sentence(wildcard.stderr);
  await using empty = await openEmptyDatabase();
  const unmigrated = await run({ DATABASE_URL: empty.url });
  // Not 78, after which systemd leaves it: the migration may be on its way.
  assert.equal(unmigrated.code, 1);
  sentence(unmigrated.stderr);
});

test('the api serves, survives the loss of its database connections and stops on request', async () => {
  await using opened = await openTestDatabase();
  const child = spawn(process.execPath, [MAIN], {
    env: { DATABASE_URL: opened.url, PORT: '0', LOG_LEVEL: 'silent' },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  try {
    const [message] = await once(child, 'message');
    assert.equal(message.ready, true);
    const status = async (): Promise<number> => (await fetch(`http://127.0.0.1:${message.port}/api/status`)).status;
    assert.equal(await status(), 200);
    await opened.database.pool.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    let last = await status();
    for (let tries = 0; last !== 200 && tries < 50; tries++) {
      assert.equal(last, 503);
      last = await status();
    }
    assert.equal(last, 200);
    child.send({ stop: true });
    assert.deepEqual(await ended, [0, null]);
  } finally {
    child.kill('SIGKILL');
  }
});

test('a change in progress is answered when the api stops, and its connection then ends', async () => {
  await using opened = await openTestDatabase();
  const child = spawn(process.execPath, [MAIN], {
    env: { DATABASE_URL: opened.url, PORT: '0', LOG_LEVEL: 'silent' },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  try {
    const [{ port }] = await once(child, 'message');
    const body = JSON.stringify({ email: 'a@example.org', password: 'a long enough password' });
    const headers = {
      ...{ 'content-type': 'application/json', 'content-length': body.length, 'x-tradewind-client': '1' },
      expect: '100-continue',
    };
    const agent = new Agent({ keepAlive: true });
    const change = request({ host: '127.0.0.1', port, path: '/api/auth/sign-in', method: 'POST', headers, agent });
    const answered = once(change, 'response');
    change.write(body.slice(0, 10));
    await once(change, 'continue');
    child.send({ stop: true });
    await until('the api to take no more connections', () =>
      fetch(`http://127.0.0.1:${port}/api/status`, { headers: { connection: 'close' } }).then(
        () => false,
        () => true,
      ),
    );
    change.end(body.slice(10));
    const [answer] = await answered;
    assert.equal(answer.statusCode, 401);
    answer.resume();
    assert.deepEqual(await ended, [0, null]);
    agent.destroy();
  } finally {
    child.kill('SIGKILL');
  }
});
