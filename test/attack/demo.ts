import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listAccounts } from '#api/contract/accounts.ts';
import { changeAiProvider } from '#api/contract/ai-provider.ts';
import { saveNotifier, testNotifier } from '#api/contract/notifiers.ts';
import { signIn, signUp } from '#api/contract/session.ts';
import { openTestDatabase, type TestDatabase } from '#test/harness/test-database.ts';
import { startApp } from '#test/faults/app.ts';
import { type ApiClient, createClient } from '#test/flow/client.ts';
import { LIVELY, startProfile } from '#test/flow/profile.ts';
import type { Target } from './visitor.ts';

/** The operator, recognisable wherever anything of them turns up. */
const EMAIL = 'canary.person@private.example';
const PASSWORD = 'a long enough password';
const AT = { 'x-forwarded-for': '192.0.2.77', 'user-agent': 'CanaryBrowser/1.0' };
const HOOK = 'canaryhook-5512d0aa7c';
const CREDENTIAL = 'canary-credential-18e2f0';
const TRADED = ['BTCUSDT', 'ETHUSDT', 'BNBUSDT'] as const;

/** A server outside: counts what is sent to it. */
interface Receiver {
  readonly url: string;
  readonly received: () => number;
}

async function openReceiver(stack: AsyncDisposableStack): Promise<Receiver> {
  let count = 0;
  const server = createServer((_request, response) => {
    count += 1;
    response.end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  stack.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The receiver has no port.');
  return { url: `http://127.0.0.1:${address.port}`, received: () => count };
}

/** A live demo with an operator who trades, is signed in, and has set up everything that a demo locks. */
export interface Demo {
  readonly operator: ApiClient;
  readonly target: Target;
  readonly receiver: Receiver;
  readonly database: TestDatabase;
}

async function prepare(url: string, receiver: Receiver) {
  const operator = createClient(`${url}/api`, AT);
  await operator.call(signUp, { body: { email: EMAIL, password: PASSWORD } });
  const [account] = (await operator.call(listAccounts, {})).accounts;
  if (account === undefined) throw new Error('Signing up made no account.');
  const stack = { ...operator, accountId: account.id };
  const profileIds = [
    await startProfile(stack, TRADED.slice(0, 2), { config: LIVELY }),
    await startProfile(stack, TRADED.slice(2), { config: LIVELY, name: 'One coin' }),
  ];
  for (const id of profileIds) {
    const params = { id, provider: 'webhook' } as const;
    const events = ['order-filled', 'order-failed', 'backtest-complete', 'limit-reached', 'coin-stopped'] as const;
    const secrets = { url: `${receiver.url}/${HOOK}` };
    await operator.call(saveNotifier, { params, body: { secrets, rules: { events: [...events] } } });
    await operator.call(testNotifier, { params });
  }
  const ai = {
    provider: 'openai-compatible',
    baseUrl: receiver.url,
    model: 'm',
    credentialKind: 'endpoint-key',
  } as const;
  await operator.call(changeAiProvider, { body: { ...ai, credential: CREDENTIAL } });
  return { accountId: account.id, profileIds };
}

/** Set up without the flag, as an operator does, then started again with it. */
export async function openDemo(stack: AsyncDisposableStack): Promise<Demo> {
  const folder = mkdtempSync(join(tmpdir(), 'tradewind-attack-'));
  stack.defer(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  // Root runs the server as a user of its own, who must be able to pass.
  chmodSync(folder, 0o711);
  const database = stack.use(await openTestDatabase());
  const receiver = await openReceiver(stack);
  const start = (flag: string) =>
    startApp({
      dataDir: join(folder, 'data'),
      args: ['--port', '0'],
      env: {
        DATABASE_URL: database.url,
        CACHE_URL: '',
        OUTGOING_PRIVATE: 'allow',
        LIVE_DEMO: flag,
      },
    });
  const before = await start('');
  const prepared = await prepare(before.url, receiver);
  await before[Symbol.asyncDispose]();
  const app = stack.use(await start('1'));
  const operator = createClient(`${app.url}/api`, AT);
  await operator.call(signIn, { body: { email: EMAIL, password: PASSWORD } });
  const accounts = readFileSync(join(folder, 'data', 'paper-accounts.json'), 'utf8');
  const keyOf = (name: string): string => new RegExp(`"${name}": "([^"]+)"`).exec(accounts)?.[1] ?? '';
  const { host: databaseHost, pathname, password } = new URL(database.url);
  const secrets = [
    ...[EMAIL, 'canary.person', AT['x-forwarded-for'], AT['user-agent'], HOOK, new URL(receiver.url).host, CREDENTIAL],
    ...[databaseHost, pathname.slice(1), ...(password.length > 7 ? [password] : [])],
  ];
  const keys = [keyOf('apiKey'), keyOf('secret'), operator.cookie().split('=')[1] ?? ''];
  const target = { ...prepared, url: app.url, symbols: [...TRADED], secrets, keys };
  return { operator, target, receiver, database };
}
