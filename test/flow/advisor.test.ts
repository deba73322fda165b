import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { WebSocket } from 'ws';
import { askAdvisor, readAdvisor } from '#api/contract/advisor.ts';
import { changeAiProvider, testAiProvider } from '#api/contract/ai-provider.ts';
import { listDeadLetters } from '#api/contract/jobs.ts';
import { saveNotifier } from '#api/contract/notifiers.ts';
import { exportAuditLogs } from '#api/contract/upkeep.ts';
import { openTestApi, ORIGIN, type TestApi } from '#test/api/test-api.ts';
import type { AdvisorVariant } from '#core/research/advice.ts';
import { parseEnvironment } from '#core/installation/env.ts';
import type { ProfileId } from '#core/ids.ts';
import { openReceiver, type Receiver } from '#integrations/test-receiver.ts';
import { startQuestion, claimQuestion } from '#storage/research/advisor.ts';
import { createRun } from '#storage/research/research.ts';
import { openWorker } from '#worker/worker.ts';
import { until } from './until.ts';

const SECRET = 'CANARY-console-key-4321';
const lines: string[] = [];
const frames: string[] = [];
let api: TestApi;
let ai: Receiver;
let told: Receiver;
let worker: AsyncDisposable;
let params: { id: ProfileId; runId: string };

const startWorker = async (): Promise<void> => {
  const nowhere = {
    PAPER_URL: 'http://127.0.0.1:9',
    TESTNET_REST_URL: 'http://127.0.0.1:9',
    TESTNET_STREAM_URL: 'ws://127.0.0.1:9',
  };
  const env = parseEnvironment({
    DATABASE_URL: api.databaseUrl,
    WORKER_SLOT: 'advisor',
    LOG_LEVEL: 'trace',
    OUTGOING_PRIVATE: 'allow',
    ...nowhere,
  });
  worker = await openWorker(env, { logTo: { write: (line) => void lines.push(line) } });
};
const answer = (text: string) => ({
  status: 200,
  text: JSON.stringify({ model: 'claude-x', content: [{ type: 'text', text }] }),
});
const ask = (variant: AdvisorVariant) => api.call(askAdvisor, { params: { ...params, variant } });
const slotOf = async (name: string) =>
  (await api.call(readAdvisor, { params })).slots.find(({ slot }) => slot === name);
const ended = (name: string) =>
  until(`an answer in ${name}`, async () => {
    const slot = await slotOf(name);
    return slot?.state === 'running' ? undefined : slot;
  });

before(async () => {
  api = await openTestApi({ logTo: { write: (line) => void lines.push(line) } });
  ai = await openReceiver();
  told = await openReceiver();
  await api.signUp();
  const { profile } = await api.addProfile('Advised');
  const results = { AAAUSDT: { metrics: { net: 12.5 } } };
  const run = {
    profileId: profile.id,
    strategyName: 'trailing-trade',
    config: {},
    request: {},
    warnings: [],
    fingerprints: {},
  };
  params = { id: profile.id, runId: await createRun(api.database.kysely, run) };
  await api.database.kysely
    .updateTable('research')
    .set({ state: 'done', results: JSON.stringify(results) })
    .execute();
  await api.call(saveNotifier, {
    params: { id: profile.id, provider: 'webhook' },
    body: { secrets: { url: told.url } },
  });
  await api.call(changeAiProvider, {
    body: { provider: 'anthropic', baseUrl: ai.url, model: 'm', credential: SECRET },
  });
  await startWorker();
});
after(async () => {
  await worker[Symbol.asyncDispose]();
  for (const one of [api, ai, told]) await one[Symbol.asyncDispose]();
});

test('a question goes to the worker, the answer comes into its slot, and browsers are told', async () => {
  const socket = new WebSocket(`${api.url.replace('http', 'ws')}/api/ws`, {
    origin: ORIGIN,
    headers: { cookie: api.cookie ?? '' },
  });
  socket.on('message', (data) => frames.push(String(data)));
  await once(socket, 'open');
  socket.send(JSON.stringify({ subscribe: ['backtest', 'dead-letter'] }));
  const suggestions = [{ title: `More ${SECRET}`, changes: [{ path: 'buy.candleLimit', value: 99 }] }];
  ai.answer = answer(JSON.stringify({ summary: 'Search more.', suggestions }));
  assert.equal((await ask('safe')).state, 'running');
  const slot = await ended('safe');
  assert.deepEqual([slot?.state, slot?.model, slot?.summary], ['done', 'claude-x', 'Search more.']);
  assert.deepEqual(
    slot?.suggestions.map(({ title, overrideConfig }) => [title, overrideConfig]),
    [['More ***', { buy: { candleLimit: 99 } }]],
  );
  assert.ok(JSON.stringify(ai.received[0]?.body).includes('12.5'));
  await until('a frame', () => frames.some((frame) => frame.includes('"slot":"safe"')));
});

test('what the provider refuses or answers wrongly ends the question with a sentence; it may be put again', async () => {
  ai.answer = { status: 429, text: '{"error":{"message":"Slow down."}}' };
  await ask('aggressive');
  assert.match((await ended('aggressive'))?.error ?? '', /answered 429: Slow down\./);
  ai.answer = answer('I would rather talk about the weather.');
  await ask('aggressive');
  assert.equal(
    (await ended('aggressive'))?.error,
    'claude-x answered, but not in the requested form. Request it again.',
  );
});

test('a worker that stops or dies while it waits never puts the question a second time', async () => {
  ai.answer = null;
  ai.received.length = 0;
  await ask('defensive');
  await until('the question', () => ai.received.length === 1);
  await worker[Symbol.asyncDispose]();
  assert.match((await slotOf('defensive'))?.error ?? '', /the process stops\.$/);
  const { kysely } = api.database;
  const begun = await startQuestion(kysely, params.runId, 'ride-trend');
  assert.ok(begun !== undefined);
  const lost = { runId: params.runId, slot: 'ride-trend', askId: begun.askId } as const;
  await claimQuestion(kysely, lost);
  await api.context.queue.enqueue('advise', lost);
  await startWorker();
  assert.match((await ended('ride-trend'))?.error ?? '', /the answer is lost. The provider may have charged for it/);
  assert.equal(ai.received.length, 1);
});

test('the credential is in no log, frame, audit, notification, dead letter, error or export, whatever fails', async () => {
  const { kysely, pool } = api.database;
  const texts: string[] = [];
  const keep = async (sent: Promise<{ status: number; text: string }>, status: number): Promise<void> => {
    const reply = await sent;
    assert.equal(reply.status, status, reply.text);
    texts.push(reply.text);
  };
  const change = (credential: string | null) =>
    api.send(changeAiProvider, { body: credential === null ? { provider: null } : { credential } });
  await pool.query(`alter table ai_provider_config add constraint refused check (credential not like '%FAIL%')`);
  await keep(change(`${SECRET}-FAIL`), 500);
  await pool.query(
    `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'Refused.'; end $$`,
  );
  await pool.query('create trigger refused before delete on ai_provider_config for each row execute function refuse()');
  await keep(change(null), 500);
  await pool.query(`alter table audit_logs add constraint refused check (action not like 'ai-provider%') not valid`);
  await keep(change(`${SECRET}-2`), 500);
  await pool.query('alter table audit_logs drop constraint refused');
  assert.deepEqual(
    (await kysely.selectFrom('ai_provider_config').select('credential').execute())[0]?.credential,
    SECRET,
  );
  ai.answer = { status: 500, text: `{"error":{"message":"${SECRET}"}}` };
  await keep(api.send(testAiProvider, {}), 200);

  await pool.query(
    `alter table backtest_advisor_slots add constraint refused check (error is null or error not like '%500%') not valid`,
  );
  await ask('trade-more');
  await pool.query(`update pgboss.job set retry_limit = 0 where name = 'advise' and state < 'completed'`);
  await until('a dead letter', async () => {
    const { deadLetters } = await api.call(listDeadLetters, {});
    await pool.query(`update pgboss.job set retry_limit = 0 where name = 'advise' and state < 'completed'`);
    return deadLetters.length > 0;
  });
  await until(
    'its frame and its notification',
    () => told.received.length > 0 && frames.some((frame) => frame.includes('dead-letter')),
  );
  await keep(api.send(listDeadLetters, {}), 200);
  await keep(api.send(exportAuditLogs, {}), 200);
  const tables = ['audit_logs', 'action_logs', 'backtest_advisor_slots', 'pgboss.job'];
  for (const table of tables) texts.push(JSON.stringify((await pool.query(`select * from ${table}`)).rows));
  assert.ok(lines.length > 10 && lines.some((line) => line.includes('ai_provider_config')), 'the failures were logged');
  for (const text of [...texts, ...lines, ...frames, JSON.stringify(told.received)])
    assert.ok(!text.includes('CANARY'), text);
});
