import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { WebSocket } from 'ws';
import { saveApiKey, verifyApiKey } from '#api/contract/accounts.ts';
import { changeAiProvider, testAiProvider } from '#api/contract/ai-provider.ts';
import { OPERATIONS } from '#api/contract/contract.ts';
import { listDeadLetters } from '#api/contract/jobs.ts';
import { saveNotifier, testNotifier } from '#api/contract/notifiers.ts';
import { signIn, signUp } from '#api/contract/session.ts';
import { changePassword } from '#api/contract/sessions.ts';
import { placeOrder } from '#api/contract/manual.ts';
import { createProfile } from '#api/contract/profiles.ts';
import { cookieOf, EMAIL, openTestApi, ORIGIN, PASSWORD, type Reply, type TestApi } from '#test/api/test-api.ts';
import { parseEnvironment } from '#core/installation/env.ts';
import { TOPICS } from '#core/installation/events.ts';
import { isObject } from '#core/merge.ts';
import type { AccountId, ProfileId } from '#core/ids.ts';
import { openReceiver, type Receiver } from '#integrations/test-receiver.ts';
import { parseAccounts } from '#paper/exchange/accounts.ts';
import { type PaperExchange, startPaper } from '#paper/server.ts';
import { control } from '#test/paper/test-server.ts';
import { openWorker } from '#worker/worker.ts';
import { until } from './until.ts';

const KEY = { apiKey: 'CANARY-exchange-key-0001', secret: 'CANARY-exchange-secret-0002' };
const AI = 'CANARY-ai-credential-0003';
const NEW_PASSWORD = 'CANARY password that is new';

const stack = new AsyncDisposableStack();
const lines: string[] = [];
const frames: string[] = [];
const replies: string[] = [];
let paper: PaperExchange;
let api: TestApi;
let accountId: AccountId;
let profileId: ProfileId;

before(async () => {
  const write = (line: string) => void lines.push(line);
  const accounts = parseAccounts([{ name: 'a', ...KEY, balances: { USDT: '1000' } }], 'The accounts of the test');
  const quiet = { source: { kind: 'synthetic' }, clock: { kind: 'real' }, speed: 1 } as const;
  paper = stack.use(await startPaper({ port: 0, controlPort: 0, accounts, ...quiet }));
  for (const name of [...KINDS, 'ai'] as const) servers.set(name, stack.use(await openReceiver()));
  api = stack.use(await openTestApi({ logTo: { write }, paperKey: KEY }));
  const places = { DATABASE_URL: api.databaseUrl, PAPER_URL: paper.url, WORKER_SLOT: 'canary', LOG_LEVEL: 'trace' };
  const allowed = { OUTGOING_PRIVATE: 'allow' };
  stack.use(await openWorker(parseEnvironment({ ...places, ...allowed }), { logTo: { write } }));
});
after(() => stack.disposeAsync());

const keep = async (sent: Promise<Reply>, status: number): Promise<Reply> => {
  const reply = await sent;
  assert.equal(reply.status, status, reply.text);
  replies.push(reply.text);
  return reply;
};

/** Every write to `table` fails, and the error of PostgreSQL contains the whole row. */
async function whileFailing(table: string, attempt: () => Promise<unknown>): Promise<void> {
  await api.database.pool.query(`alter table ${table} add constraint refused check (false) not valid`);
  try {
    await attempt();
  } finally {
    await api.database.pool.query(`alter table ${table} drop constraint refused`);
  }
}

/** Each kind of notifier with a separate server, whose refusals contain the request. */
const settingsOf = {
  slack: (url: string) => ({ settings: {}, secrets: { webhookUrl: `${url}/CANARY-slack-0005` } }),
  discord: (url: string) => ({ settings: {}, secrets: { webhookUrl: `${url}/CANARY-discord-0006` } }),
  telegram: (url: string) => ({
    settings: { chatId: '42', serverUrl: url },
    secrets: { botToken: '1:CANARY-bot-0007' },
  }),
  ntfy: (url: string) => ({ settings: { topic: 't', serverUrl: url }, secrets: { token: 'CANARY-ntfy-0008' } }),
  webhook: (url: string) => ({
    settings: {},
    secrets: { url: `${url}/CANARY-webhook-0004`, signingKey: 'CANARY-signing-key-0009' },
  }),
} as const;
type Kind = keyof typeof settingsOf;
const KINDS: readonly Kind[] = ['slack', 'discord', 'telegram', 'ntfy', 'webhook'];
const servers = new Map<Kind | 'ai', Receiver>();
const serverOf = (name: Kind | 'ai'): Receiver => servers.get(name) ?? assert.fail(name);

async function seed(): Promise<void> {
  const credentials = { email: EMAIL, password: PASSWORD };
  for (const table of ['users', 'api_keys', 'sessions', 'audit_logs'])
    await whileFailing(table, () => keep(api.send(signUp, { body: credentials }), 500));
  api.cookie = cookieOf(await keep(api.send(signUp, { body: credentials }), 201));
  accountId = (await api.database.kysely.selectFrom('accounts').select('id').executeTakeFirstOrThrow()).id as AccountId;
  const body = { accountId, name: 'Canary', strategyName: 'hold', symbols: ['BTCUSDT'], enabled: true };
  profileId = (await api.call(createProfile, { body })).profile.id;
  const params = { id: accountId };
  for (const table of ['api_keys', 'audit_logs', 'pgboss.job'])
    await whileFailing(table, () => keep(api.send(saveApiKey, { params, body: { label: 'l', ...KEY } }), 500));
  await keep(api.send(saveApiKey, { params, body: { label: 'l', ...KEY } }), 200);
  const ai = { provider: 'anthropic', baseUrl: serverOf('ai').url, model: 'm', credential: AI } as const;
  for (const table of ['ai_provider_config', 'audit_logs'])
    await whileFailing(table, () => keep(api.send(changeAiProvider, { body: ai }), 500));
  await keep(api.send(changeAiProvider, { body: ai }), 200);
  for (const provider of KINDS) {
    const body = settingsOf[provider](serverOf(provider).url);
    const save = () => api.send(saveNotifier, { params: { id: profileId, provider }, body });
    for (const table of ['profile_notifiers', 'audit_logs']) await whileFailing(table, () => keep(save(), 500));
    await keep(save(), 200);
  }
  const change = { body: { currentPassword: PASSWORD, newPassword: NEW_PASSWORD } };
  for (const table of ['users', 'audit_logs'])
    await whileFailing(table, () => keep(api.send(changePassword, change), 500));
  await keep(api.send(changePassword, change), 204);
  const sign = (password: string) => api.send(signIn, { body: { email: EMAIL, password } }, { cookie: null });
  await whileFailing('sessions', () => keep(sign(NEW_PASSWORD), 500));
  await keep(sign(`${NEW_PASSWORD} wrong`), 401);
  api.cookie = cookieOf(await api.send(signIn, { body: { email: EMAIL, password: NEW_PASSWORD } }, { cookie: null }));
}

/** Everything goes wrong that can go wrong with something secret in hand. */
async function fail(): Promise<void> {
  for (const provider of KINDS) {
    const server = serverOf(provider);
    const secrets = Object.values(settingsOf[provider](server.url).secrets);
    const paths = secrets.map((secret) =>
      URL.canParse(secret) ? new URL(secret).pathname : encodeURIComponent(secret),
    );
    server.answer = { status: 500, text: `no: ${[...paths, ...secrets].join(' ')}` };
    await keep(api.send(testNotifier, { params: { id: profileId, provider } }), 200);
  }
  serverOf('ai').answer = { status: 500, text: `no: ${AI}` };
  await keep(api.send(testAiProvider, {}), 200);
  const body = { code: -2010, msg: `you said ${KEY.apiKey} ${KEY.secret}`, echo: KEY };
  const match = { method: 'POST', path: '/api/v3/order' };
  const faults = [
    { match, kind: 'fail-before', status: 400, body },
    { match: { path: '/api/v3/account' }, kind: 'fail-before', status: 401, body: { ...body, code: -2015 }, times: 2 },
  ];
  await control(paper, 'POST /faults', faults);
  const params = { id: profileId, symbol: 'BTCUSDT' };
  const order = { side: 'buy', type: 'market', quoteAmount: '40' } as const;
  await keep(api.send(placeOrder, { params, body: { order } }), 202);
  await keep(api.send(verifyApiKey, { params: { id: accountId } }), 202);
  await until('the refused order in the log', async () => {
    const rows = await api.database.kysely.selectFrom('action_logs').select('ctx').execute();
    return rows.some(({ ctx }) => isObject(ctx) && ctx['event'] === 'order_rejected');
  });
  // Its notifications fail too: a failed job becomes a dead letter, which is published.
  await until('dead letters', async () => {
    await api.database.pool.query(
      `update pgboss.job set retry_limit = 0 where name like 'notify%' and state < 'completed'`,
    );
    return (await api.call(listDeadLetters, {})).deadLetters.length >= KINDS.length;
  });
  await until('a frame of one', () => frames.some((frame) => frame.includes('dead-letter')));
}

/** Every read operation with what there is. */
async function readEverything(): Promise<void> {
  for (const { method, path } of OPERATIONS) {
    // A backup holds everything, as it says.
    if (method !== 'GET' || path === '/backup') continue;
    const id = path.startsWith('/accounts') ? accountId : profileId;
    const filled = path.replace(':id', id).replace(':symbol', 'BTCUSDT').replace(':provider', 'slack');
    replies.push((await api.request('GET', `/api${filled.replaceAll(/:\w+/g, id)}`)).text);
    replies.push((await api.request('GET', `/api${filled.replaceAll(/:\w+/g, id)}?accountId=${accountId}`)).text);
  }
}

/** Every row of every table but those that keep the secrets for use. */
async function dump(): Promise<string[]> {
  const { rows } = await api.database.pool.query<{ name: string }>(
    `select quote_ident(table_schema) || '.' || quote_ident(table_name) as name from information_schema.tables
     where table_schema in ('public', 'pgboss') and table_type = 'BASE TABLE'`,
  );
  const keepers = ['public.api_keys', 'public.ai_provider_config', 'public.profile_notifiers'];
  const names = rows.map(({ name }) => name).filter((name) => !keepers.includes(name));
  assert.ok(names.length > 25 && names.includes('public.audit_logs') && names.includes('public.action_logs'));
  const texts = names.map(async (name) => {
    const found = await api.database.pool.query<{ row: string }>(`select t::text as row from ${name} t`);
    return found.rows.map(({ row }) => `${name}: ${row}`);
  });
  return (await Promise.all(texts)).flat();
}

test('no secret is in any log, record, message, frame, answer or export, also after every write was made to fail', async () => {
  await seed();
  const cookie = api.cookie ?? '';
  const socket = new WebSocket(`${api.url.replace('http', 'ws')}/api/ws`, { origin: ORIGIN, headers: { cookie } });
  socket.on('message', (data) => frames.push(String(data)));
  await once(socket, 'open');
  socket.send(JSON.stringify({ subscribe: TOPICS }));
  await until('the account to run', () => frames.some((frame) => frame.includes('"tick"')));
  await fail();
  await readEverything();
  socket.terminate();

  const rows = await dump();
  assert.ok(
    lines.some((line) => line.includes('violates check constraint')),
    'the failures were logged',
  );
  assert.ok(
    rows.some((row) => row.includes('order_rejected')) && replies.some((text) => text.includes('order_rejected')),
  );
  const bodies = servers
    .values()
    .flatMap(({ received }) => received.map(({ body }) => JSON.stringify(body)))
    .toArray();
  assert.ok(bodies.length > 10, 'messages were sent');
  const token = cookie.split('=')[1] ?? '';
  const secrets = ['CANARY-', PASSWORD, NEW_PASSWORD, token];
  const places = { lines, frames, replies, rows, bodies };
  for (const [place, texts] of Object.entries(places)) {
    const leaks = texts.filter(
      (text) => secrets.some((secret) => text.includes(secret)) || /signature=[0-9a-f]/.test(text),
    );
    assert.deepEqual(leaks, [], place);
  }
});
