import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { TokenScope } from '#core/installation/token-scopes.ts';
import { readKillSwitch } from '#api/contract/halts.ts';
import { createToken } from '#api/contract/tokens.ts';
import { openTestApi, problemOf, type TestApi } from '#test/api/test-api.ts';
import { addLogs, BTC, cachePrice, cacheRules } from '#test/api/test-records.ts';
import { digestOf } from '#test/api/test-requests.ts';
import { MAX_ANSWER_CHARS } from './bounded.ts';
import { PROMPTS } from './prompts.ts';
import { TOOLS } from './tools.ts';

let api: TestApi;
before(async () => {
  api = await openTestApi();
  await api.signUp();
});
after(() => api[Symbol.asyncDispose]());

const create = async (scopes: readonly TokenScope[], accountIds?: readonly string[]): Promise<string> => {
  const more = accountIds === undefined ? {} : { accountIds: [...accountIds] };
  return (await api.call(createToken, { body: { name: 'Assistant', scopes: [...scopes], ...more } })).token;
};

async function connect(token: string): Promise<Client & AsyncDisposable> {
  const client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${api.url}/api/mcp`), { requestInit }));
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
}

const textOf = (result: unknown): string => {
  const { content } = Object(result);
  return String(content?.[0]?.text);
};

test('without a token the door of assistants answers 401 and says what it needs', async () => {
  const reply = await fetch(`${api.url}/api/mcp`, { method: 'POST', body: '{}' });
  assert.equal(reply.status, 401);
  assert.match(reply.headers.get('www-authenticate') ?? '', /^Bearer/);
});

test('the cookie of a session does not open it', async () => {
  const reply = await api.request('POST', '/api/mcp', { body: '{}' });
  assert.equal(problemOf(reply).code, 'bad_token');
});

test('a page of a foreign origin is refused', async () => {
  const headers = { origin: 'https://elsewhere.example', authorization: `Bearer ${await create(['read'])}` };
  assert.equal(problemOf(await api.request('POST', '/api/mcp', { headers, body: '{}' })).code, 'origin_rejected');
});

test('the list holds the tools that the token may call, with hints', async () => {
  await using reader = await connect(await create(['read']));
  const { tools } = await reader.listTools();
  const names = tools.map(({ name }) => name);
  assert.equal(names.includes('run_backtest'), false);
  for (const name of ['overview', 'why_no_buy', 'check_config', 'stop_buying']) assert.ok(names.includes(name), name);
  await using researcher = await connect(await create(['research', 'trade']));
  const all = (await researcher.listTools()).tools;
  assert.deepEqual(all.map(({ name }) => name).toSorted(), TOOLS.map(({ name }) => name).toSorted());
  assert.ok(JSON.stringify(all).length < 24_000, `the list has ${JSON.stringify(all).length} characters`);
  assert.equal(all.find(({ name }) => name === 'why_no_buy')?.annotations?.readOnlyHint, true);
  assert.equal(all.find(({ name }) => name === 'run_backtest')?.annotations?.readOnlyHint, false);
});

test('a token for one account sees no tool about all of them', async () => {
  const { account } = await api.addProfile('Limited');
  await using client = await connect(await create(['read'], [account.id]));
  const names = (await client.listTools()).tools.map(({ name }) => name);
  assert.equal(names.includes('overview') || names.includes('stop_buying'), false);
  assert.ok(names.includes('stop_profile'));
});

test('tools answer with the records of the api', async () => {
  const { profile } = await api.addProfile('Asked', { symbols: ['SOLUSDT'] });
  await using client = await connect(await create(['read']));
  const profiles = textOf(await client.callTool({ name: 'list_profiles', arguments: {} }));
  assert.ok(profiles.includes(profile.id));
  const why = { id: profile.id, symbol: 'SOLUSDT', from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' };
  assert.equal(JSON.parse(textOf(await client.callTool({ name: 'why_no_buy', arguments: why }))).decisions, 0);
  const blocks = await client.callTool({ name: 'what_blocks_now', arguments: { id: profile.id, symbol: 'SOLUSDT' } });
  assert.equal(JSON.parse(textOf(blocks)).verdict, 'blocked');
});

test('a refusal of the api is an error of the tool with its code', async () => {
  await using client = await connect(await create(['read']));
  const id = '01890000-0000-7000-8000-000000000000';
  const result = await client.callTool({ name: 'profile_settings', arguments: { id } });
  assert.equal(result.isError, true);
  assert.match(textOf(result), /^not_found: /);
  const { profile } = await api.addProfile('Refused', { symbols: ['SOLUSDT'] });
  const span = { id: profile.id, symbol: 'SOLUSDT', from: 'last Tuesday' };
  const refused = await client.callTool({ name: 'why_no_buy', arguments: span });
  assert.equal(refused.isError, true);
  assert.match(textOf(refused), /from/);
});

test('a page that is too long is requested again with half its rows, so that its cursor skips none', async () => {
  const { profile } = await api.addProfile('Long');
  const at = (second: number) => new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString();
  const rows = Array.from({ length: 40 }, (_, i) => ({
    level: 'info' as const,
    msg: `row ${i} ${'x'.repeat(2000)}`,
    at: at(i),
  }));
  await addLogs(api.database, profile.id, rows);
  await using client = await connect(await create(['read']));
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const more: Record<string, string> = cursor === null ? {} : { cursor };
    const text = textOf(
      await client.callTool({ name: 'list_decisions', arguments: { id: profile.id, limit: 40, ...more } }),
    );
    assert.ok(text.length <= MAX_ANSWER_CHARS);
    const page = JSON.parse(text);
    seen.push(...page.rows.map(({ msg }: { msg: string }) => msg.slice(0, 7).trim()));
    cursor = page.nextCursor;
  } while (cursor !== null);
  assert.equal(new Set(seen).size, 40);
});

test('an assistant stops buying with its reason, and cannot start it again', async () => {
  await using client = await connect(await create(['manage', 'read']));
  await client.callTool({ name: 'stop_buying', arguments: { reason: 'exchange news' } });
  const state = await api.call(readKillSwitch, {});
  assert.deepEqual([state.engaged, state.reason], [true, 'exchange news']);
  const names = (await client.listTools()).tools.map(({ name }) => name);
  assert.deepEqual(
    names.filter((name) => /release|resume|approve|save|delete|enable/.test(name)),
    [],
  );
});

test('no tool changes anything for a token of scope read, except that it may stop buying', async () => {
  await cacheRules(api, [BTC]);
  await cachePrice(api, BTC.symbol, '50000');
  const { profile } = await api.addProfile('Read by tools', { symbols: [BTC.symbol] });
  const id = '01890000-0000-7000-8000-000000000000';
  const inputs: Readonly<Record<string, unknown>> = {
    ...{ id: profile.id, symbol: BTC.symbol, from: '2024-01-01T00:00:00Z', to: '2024-02-01T00:00:00Z' },
    ...{ run: id, runs: [id, profile.id], sweep: id, config: {}, knobs: 'buy.candleLimit=1..9', reason: 'Because' },
    order: { side: 'buy', type: 'market', quoteAmount: '15' },
  };
  await using client = await connect(await create(['read']));
  const digest = await digestOf(api);
  const state = await digest();
  let answered = 0;
  for (const { name, input } of TOOLS.filter((tool) => !tool.name.startsWith('stop_'))) {
    const args = Object.fromEntries(Object.entries(inputs).filter(([key]) => key in input.shape));
    const result = await client.callTool({ name, arguments: args }).catch(() => undefined);
    if (result !== undefined && result.isError !== true) answered++;
    assert.equal(await digest(), state, `${name} has changed something`);
  }
  assert.ok(answered > 10, `${answered} tools answered`);
});

test('resources and prompts are listed and read', async () => {
  await using client = await connect(await create(['read']));
  const { contents } = await client.readResource({ uri: 'tradewind://overview' });
  assert.ok(JSON.stringify(contents).includes('accounts'));
  assert.deepEqual(
    (await client.listPrompts()).prompts.map(({ name }) => name).toSorted(),
    PROMPTS.map(({ name }) => name).toSorted(),
  );
  const { messages } = await client.getPrompt({
    name: 'why_did_it_not_buy',
    arguments: { coin: 'SOL', since: 'Tuesday' },
  });
  assert.match(JSON.stringify(messages), /SOL.*Tuesday/);
});
