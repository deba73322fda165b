import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { createAccount, listAccounts, saveApiKey } from '#api/contract/accounts.ts';
import { readKillSwitch, setKillSwitch } from '#api/contract/halts.ts';
import { readTickTrace } from '#api/contract/records.ts';
import { signUp, status } from '#api/contract/session.ts';
import type { AccountId, ProfileId } from '#core/ids.ts';
import { parseAccounts } from '#paper/exchange/accounts.ts';
import { type PaperExchange, startPaper } from '#paper/server.ts';
import { openTestDatabase, type TestDatabase } from '#test/harness/test-database.ts';
import { type ApiClient, createClient } from '#test/flow/client.ts';
import { startProfile } from '#test/flow/profile.ts';
import { until } from '#test/flow/until.ts';
import { freePorts, provideCache } from '#test/harness/servers.ts';
import { openNginx, withoutNginx } from './nginx.ts';
import { type Role, startRole } from './role.ts';

const skip = withoutNginx;
if (skip !== false) console.log(`﹣ replicas: ${skip}, so they are not tested here`);
const NAMES = ['a', 'b', 'c'] as const;
const KEYS = NAMES.map((name) => ({
  name,
  apiKey: `replica-${name}-key-0123456789`,
  secret: `replica-${name}-secret`,
}));
const [EMAIL, PASSWORD] = ['operator@example.com', 'a long enough passphrase'];

interface Stage {
  readonly client: ApiClient;
  readonly url: string;
  readonly test: TestDatabase;
  readonly paper: PaperExchange;
  /** By port. */
  readonly apis: ReadonlyMap<number, Role>;
  /** By slot. */
  readonly workers: ReadonlyMap<string, Role>;
  /** Starts one again that was killed, as a supervisor does. */
  startAgain(which: string | number): Promise<void>;
}
let opened: Stage | undefined;
const resources = new AsyncDisposableStack();
const stage = (): Stage => {
  assert.ok(opened !== undefined);
  return opened;
};

const started = (role: string, env: Readonly<Record<string, string>>): Role =>
  resources.use(startRole(role, { ...env, LOG_LEVEL: 'warn' }));

const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );

async function openStage(): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'tradewind-replicas-'));
  chmodSync(folder, 0o711);
  resources.defer(() => rmSync(folder, { recursive: true, force: true }));
  const database = resources.use(await openTestDatabase());
  const cacheUrl = await provideCache(resources);
  const accounts = KEYS.map((key) => ({ ...key, balances: { USDT: '10000' } }));
  const source = { kind: 'synthetic' } as const;
  const paper = resources.use(
    await startPaper({
      ...{ source, speed: 1, clock: { kind: 'real' }, port: 0, controlPort: 0 },
      accounts: parseAccounts(accounts, 'The accounts of the test'),
    }),
  );
  const [port = 0, ...ports] = await freePorts(1 + NAMES.length);
  const url = `http://127.0.0.1:${port}`;
  const env = {
    ...{
      DATABASE_URL: database.url,
      CACHE_URL: cacheUrl ?? '',
      PAPER_URL: paper.url,
      WEB_ORIGIN: url,
      METRICS_PORT: '',
    },
    ...{ PAPER_API_KEY: KEYS[0]?.apiKey ?? '', PAPER_API_SECRET: KEYS[0]?.secret ?? '', LIVE_DEMO: '' },
  };
  const startApi = (own: number): Role => started('api', { ...env, PORT: String(own), WEB_DIR: folder });
  const startWorker = (slot: string): Role => started('worker', { ...env, WORKER_SLOT: slot });
  const serves = (own: number): Promise<true> =>
    until('a replica serves', () => answers(`http://127.0.0.1:${own}/api/health/ready`));
  const everyWorkerListens = (): Promise<true> =>
    until('every worker listens', async () => {
      const { rows } = await database.database.pool.query(
        "select pid from pg_stat_activity where datname = current_database() and application_name = 'tradewind-listen'",
      );
      return rows.length >= NAMES.length;
    });
  const apis = new Map(ports.map((own) => [own, startApi(own)]));
  for (const own of ports) await serves(own);
  await openNginx(resources, { port, apiPorts: ports });
  const workers = new Map<string, Role>(NAMES.map((name) => [name, startWorker(name)]));
  await everyWorkerListens();
  const startAgain = async (which: string | number): Promise<void> => {
    if (typeof which === 'number') {
      apis.set(which, startApi(which));
      await serves(which);
    } else {
      workers.set(which, startWorker(which));
      await everyWorkerListens();
    }
  };
  return { client: createClient(`${url}/api`), url, test: database, paper, apis, workers, startAgain };
}

const lease = z.object({ account_id: z.string(), holder: z.string() });
const leases = async (): Promise<z.infer<typeof lease>[]> =>
  z
    .array(lease)
    .parse(
      (
        await stage().test.database.pool.query(
          'select account_id, holder from account_leases where expires_at > clock_timestamp() order by account_id',
        )
      ).rows,
    );

if (skip === false) {
  before(async () => {
    opened = await openStage();
  });
  after(() => resources.disposeAsync());
}

const OPTIONS = { skip, timeout: 240_000 };
const accounts: AccountId[] = [];
/** The profile that trades each account. */
const profiles = new Map<AccountId, ProfileId>();

test('a session holds at every replica', OPTIONS, async () => {
  const { client, apis } = stage();
  await client.call(signUp, { body: { email: EMAIL, password: PASSWORD } });
  for (let turn = 0; turn < 2 * apis.size; turn++)
    assert.equal((await client.fetch('/accounts')).status, 200, 'nginx takes the replicas in turn');
});

test(
  'five attempts to sign in a minute count over all replicas, whatever address a visitor claims',
  OPTIONS,
  async () => {
    const { url } = stage();
    const codes: number[] = [];
    for (let attempt = 0; attempt < 7; attempt++) {
      const response = await fetch(`${url}/api/auth/sign-in`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-tradewind-client': '1',
          'x-forwarded-for': `203.0.113.${attempt}`,
          'x-real-ip': `203.0.113.${attempt}`,
        },
        body: JSON.stringify({ email: EMAIL, password: 'not the password' }),
      });
      codes.push(response.status);
    }
    assert.deepEqual(codes, [401, 401, 401, 401, 401, 429, 429]);
  },
);

test('the accounts spread over the workers', OPTIONS, async () => {
  const { client, workers } = stage();
  const [first] = (await client.call(listAccounts, {})).accounts;
  assert.ok(first !== undefined);
  accounts.push(first.id);
  for (const { name, apiKey, secret } of KEYS.slice(1)) {
    const body = { name, exchangeMode: 'testnet', endpoint: 'paper' } as const;
    const { id } = await client.call(createAccount, { body });
    await client.call(saveApiKey, { params: { id }, body: { apiKey, secret, label: name } });
    accounts.push(id);
  }
  for (const accountId of accounts)
    profiles.set(accountId, await startProfile({ ...client, accountId }, ['BTCUSDT'], { name: `of ${accountId}` }));
  await until('every account has a worker', async () => (await leases()).length === accounts.length);
  const slots = new Set((await leases()).map(({ holder }) => holder));
  console.log(`three accounts are with ${slots.size} of three workers`);
  assert.ok(slots.size > 1, 'no worker has them all');
  assert.ok([...slots].every((slot) => workers.has(slot)));
});

test(
  'the WebSocket passes through; when its replica is killed, the next connection is told to read again',
  OPTIONS,
  async () => {
    const { client, url, apis, startAgain } = stage();
    const cookie = client.cookie();
    const connect = async (): Promise<WebSocket> => {
      const socket = new WebSocket(`${url.replace('http', 'ws')}/api/ws`, { origin: url, headers: { cookie } });
      await once(socket, 'open');
      return socket;
    };
    const socket = await connect();
    socket.send(JSON.stringify({ subscribe: ['price', 'tick'] }));
    const [message]: unknown[] = await once(socket, 'message');
    const seq = z.tuple([z.object({ seq: z.number() })], z.unknown()).parse(JSON.parse(String(message)))[0].seq;
    const closed = once(socket, 'close');
    // Only one of them holds the socket: it closes at the latest with the last.
    for (const [port, replica] of apis) {
      if (socket.readyState !== WebSocket.OPEN) break;
      await replica.stop('SIGKILL');
      await startAgain(port);
    }
    await closed;
    const again = await connect();
    again.send(JSON.stringify({ subscribe: ['price', 'tick'] }));
    again.send(JSON.stringify({ since: seq + 1_000_000 }));
    await until('word that something may be missing, or the next event', () => once(again, 'message').then(() => true));
    again.close();
  },
);

/** An operator who looks at the accounts and at the status all the time, and writes down every answer but 200. */
function watchAll(client: ApiClient): AsyncDisposable & { readonly answers: number[] } {
  const answers: number[] = [];
  let ended = false;
  const watching = (async () => {
    while (!ended) {
      for (const path of ['/accounts', '/status', '/kill-switch']) answers.push((await client.fetch(path)).status);
      await delay(20);
    }
  })();
  return {
    answers,
    async [Symbol.asyncDispose]() {
      ended = true;
      await watching;
    },
  };
}

const allGood = (answers: readonly number[]): void =>
  assert.deepEqual(
    answers.filter((code) => code !== 200),
    [],
    `of ${answers.length} answers`,
  );

test('each replica of the api is killed in turn: every question is answered all the same', OPTIONS, async () => {
  const { client, apis, startAgain } = stage();
  const watch = watchAll(client);
  await using _watch = watch;
  for (const [port, replica] of [...apis]) {
    await replica.stop('SIGKILL');
    await delay(500);
    const killedMs = Date.now();
    await startAgain(port);
    await until('nginx asks it again', async () => Date.parse((await client.call(status, {})).api.bootedAt) > killedMs);
  }
  assert.ok(watch.answers.length > 50, 'the operator looked all the time');
  allGood(watch.answers);
});

test(
  'each worker is killed in turn: its accounts go on with the others, and the status answers all the time',
  OPTIONS,
  async () => {
    const { client, workers, startAgain } = stage();
    const newest = async (profileId: ProfileId): Promise<unknown> =>
      (await client.call(readTickTrace, { params: { id: profileId }, query: { limit: 1 } })).entries[0];
    const watch = watchAll(client);
    await using _watch = watch;
    let moved = 0;
    for (const [slot, worker] of [...workers]) {
      const held = (await leases()).filter(({ holder }) => holder === slot).map(({ account_id }) => account_id);
      const beganMs = performance.now();
      await worker.stop('SIGKILL');
      await until('other workers own its accounts', async () => {
        const others = (await leases()).filter(({ holder }) => holder !== slot).map(({ account_id }) => account_id);
        return held.every((account) => others.includes(account));
      });
      const seconds = ((performance.now() - beganMs) / 1000).toFixed(1);
      for (const profileId of profiles.values()) {
        const before = JSON.stringify(await newest(profileId));
        await until('the profile decides again', async () => JSON.stringify(await newest(profileId)) !== before);
      }
      moved += held.length;
      console.log(`worker ${slot} killed: others owned its ${held.length} accounts after ${seconds} s`);
      await startAgain(slot);
    }
    assert.ok(moved >= accounts.length, 'every account changed hands');
    allGood(watch.answers);
  },
);

test('workers that join later get accounts of the one that has them all', OPTIONS, async () => {
  const { workers, startAgain } = stage();
  const owners = async (): Promise<Set<string>> => new Set((await leases()).map(({ holder }) => holder));
  const [last = '', ...others] = workers.keys();
  for (const slot of others) await workers.get(slot)?.stop('SIGTERM');
  await until('one worker owns every account', async () => {
    const held = await leases();
    return held.length === accounts.length && held.every(({ holder }) => holder === last);
  });
  await Promise.all(others.map(startAgain));
  await until('each worker owns one', async () => (await owners()).size === workers.size);
});

test('a kill switch holds at every replica and stops every worker', OPTIONS, async () => {
  const { client } = stage();
  await client.call(setKillSwitch, { body: { engaged: true, reason: 'replicas' } });
  for (let turn = 0; turn < 4; turn++) assert.equal((await client.call(readKillSwitch, {})).engaged, true);
  const { rows } = await stage().test.database.pool.query(
    `select count(*)::int as late from orders, kill_switches
       where purpose = 'entry' and orders.halt_order > kill_switches.halt_order and scope = 'all'`,
  );
  assert.deepEqual(rows, [{ late: 0 }]);
});
