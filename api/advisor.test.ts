import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ProfileId } from '#core/ids.ts';
import { openReceiver, type Receiver } from '#integrations/test-receiver.ts';
import { createRun } from '#storage/research/research.ts';
import { askAdvisor, keepAdvisorReply, readAdvisor, readAdvisorPrompt } from '#api/contract/advisor.ts';
import { changeAiProvider, readAiProvider, testAiProvider } from '#api/contract/ai-provider.ts';
import { readProfile } from '#api/contract/profiles.ts';
import { openTestApi, type TestApi } from '#test/api/test-api.ts';

const SECRET = 'CANARY-console-key-4321';
let api: TestApi;
let receiver: Receiver;
let params: { id: ProfileId; runId: string };
before(async () => {
  api = await openTestApi();
  receiver = await openReceiver();
  await api.signUp();
  const { profile } = await api.addProfile('Advised');
  const run = {
    profileId: profile.id,
    strategyName: 'trailing-trade',
    config: {},
    request: {},
    warnings: [],
    fingerprints: {},
  };
  params = { id: profile.id, runId: await createRun(api.database.kysely, run) };
});
after(async () => {
  await api[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

const stored = () => api.database.kysely.selectFrom('ai_provider_config').selectAll().execute();
const save = (body: Parameters<typeof api.call<typeof changeAiProvider>>[1]['body']) =>
  api.call(changeAiProvider, { body });
const pathsOf = async (body: object): Promise<string | undefined> =>
  (await api.refusal(changeAiProvider, { body })).errors?.map(({ path }) => path).join();

test('a provider is set up, kept, moved and removed; the credential goes in, plaintext, and never comes out', async () => {
  assert.deepEqual(await api.call(readAiProvider, {}), { aiProvider: null });
  assert.equal((await api.refusal(testAiProvider, {})).code, 'not_found');
  assert.equal(await pathsOf({}), 'provider');
  assert.equal(await pathsOf({ provider: 'anthropic' }), 'model,credential');
  assert.equal(await pathsOf({ provider: 'anthropic', model: 'm', credential: 'a b' }), 'credential.value');
  assert.equal(
    await pathsOf({ provider: 'anthropic', model: 'm', credential: SECRET, credentialKind: 'endpoint-key' }),
    'credentialKind',
  );
  assert.equal(
    await pathsOf({ provider: 'openai-compatible', model: 'm', baseUrl: 'http://169.254.169.254' }),
    'baseUrl',
  );
  assert.deepEqual(await stored(), []);
  const { aiProvider } = await save({ provider: 'anthropic', model: 'm', credential: SECRET });
  assert.deepEqual(
    [aiProvider?.baseUrl, aiProvider?.credential],
    ['https://api.anthropic.com', { kind: 'console-key', last4: '4321' }],
  );
  await save({ model: 'm2', credential: '' });
  const [row] = await stored();
  assert.deepEqual([row?.model, row?.credential, row?.credential_kind], ['m2', SECRET, 'console-key']);
  assert.equal(await pathsOf({ baseUrl: receiver.url }), 'credential', 'a stored credential is sent nowhere else');
  assert.equal(await pathsOf({ provider: 'openai-compatible' }), 'credential');
  await save({ baseUrl: receiver.url, credential: SECRET, credentialKind: 'oauth-token' });
  receiver.answer = {
    status: 200,
    text: JSON.stringify({ model: 'm2', content: [{ type: 'text', text: `ready ${SECRET}\n` }] }),
  };
  assert.deepEqual(await api.call(testAiProvider, {}), { ok: true, detail: 'm2 answered: ready ***' });
  receiver.answer = { status: 401, text: '{"error":{"message":"no"}}' };
  const { ok, detail } = await api.call(testAiProvider, {});
  assert.match(`${ok} ${detail}`, /^false 127\.0\.0\.1:\d+ answered 401: no\. Check the credential\.$/);
  const short = await save({ provider: 'openai-compatible', baseUrl: '', model: 'm', credential: 'ollama' });
  assert.deepEqual(short.aiProvider?.credential, { kind: 'endpoint-key', last4: '' });
  assert.equal((await save({ credential: null })).aiProvider?.credential, null);
  assert.deepEqual(await save({ provider: null }), { aiProvider: null });
  assert.deepEqual(await stored(), []);
  const audits = await api.database.kysely.selectFrom('audit_logs').selectAll().execute();
  assert.ok(audits.some(({ action }) => action === 'ai-provider.change') && !JSON.stringify(audits).includes('CANARY'));
});

test('the advisor answers about finished backtests only, and only with a provider', async () => {
  const ask = async () => (await api.refusal(askAdvisor, { params: { ...params, variant: 'safe' } })).detail;
  assert.match(await ask(), /^The backtest is queued: only a finished one/);
  await api.database.kysely.updateTable('research').set({ state: 'done' }).execute();
  assert.match(await ask(), /^No AI provider is set up/);
  await save({ provider: 'openai-compatible', model: 'm' });
  const slot = await api.call(askAdvisor, { params: { ...params, variant: 'safe' } });
  assert.deepEqual([slot.slot, slot.state, slot.suggestions], ['safe', 'running', []]);
  assert.match(await ask(), /^This question is already running/);
  const old = { asked_at: new Date(Date.now() - 3_600_000) };
  await api.database.kysely.updateTable('backtest_advisor_slots').set(old).execute();
  assert.equal(
    (await api.send(askAdvisor, { params: { ...params, variant: 'safe' } })).status,
    202,
    'a lost question is sent again',
  );
  const where = `/api/profiles/${params.id}/backtests/${params.runId}/advisor`;
  assert.equal((await api.request('POST', `${where}/wild`)).status, 404);
  await api.database.kysely.updateTable('research').set({ config: '{"buy":{"candleLimit":5000}}' }).execute();
  assert.match(await ask(), /outside their bounds/);
  await api.database.kysely.updateTable('research').set({ config: '{}' }).execute();
});

test('by hand: the question out, the reply in; it is kept in its slot and changes nothing', async () => {
  const { prompt } = await api.call(readAdvisorPrompt, { params, query: { variant: 'defensive' } });
  assert.match(prompt, /keep the capital/);
  const before = await api.call(readProfile, { params: { id: params.id } });
  const refused = await api.refusal(keepAdvisorReply, { params, body: { reply: 'I would not know.' } });
  assert.equal(refused.errors?.[0]?.path, 'reply');
  const changes = (value: unknown) => [{ path: 'buy.candleLimit', value }];
  const suggestions = [
    { title: 'A', changes: changes(99) },
    { title: 'B', changes: changes('many') },
  ];
  const reply = `Here you are:\n${JSON.stringify({ summary: 'Two.', suggestions })}`;
  const kept = await api.call(keepAdvisorReply, { params, body: { reply } });
  assert.deepEqual([kept.slot, kept.state, kept.model, kept.summary], ['manual', 'done', null, 'Two.']);
  assert.deepEqual(
    kept.suggestions.map((suggestion) => suggestion.overrideConfig),
    [{ buy: { candleLimit: 99 } }],
  );
  assert.deepEqual(kept.dropped, [{ title: 'B', reason: 'buy.candleLimit: must be a whole number' }]);
  const { slots } = await api.call(readAdvisor, { params });
  assert.deepEqual([slots.length, slots.find(({ slot }) => slot === 'manual')], [2, kept]);
  assert.deepEqual(await api.call(readProfile, { params: { id: params.id } }), before);
});
