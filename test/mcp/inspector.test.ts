import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { z } from 'zod';
import { launchBacktest, launchSweep } from '#api/contract/research.ts';
import { createToken } from '#api/contract/tokens.ts';
import { PROMPTS } from '#api/mcp/prompts.ts';
import { TOOLS } from '#api/mcp/tools.ts';
import { openTestApi, type TestApi } from '#test/api/test-api.ts';
import { addOrder, BTC, cachePrice, cacheRules } from '#test/api/test-records.ts';
import { runProgram, skipReason } from './official-programs.ts';

/** As docs/operator/assistants.md configures it. */
const PROGRAM = join(import.meta.dirname, '..', '..', 'cli', 'tradewind.js');
const WINDOW = { from: '2024-01-01T00:00:00.000Z', to: '2024-02-01T00:00:00.000Z' };
const KNOBS = 'buy.candleLimit=1..9';
const REASON = 'Asked by the inspector';

interface Stage extends AsyncDisposable {
  readonly api: TestApi;
  readonly folder: string;
  /** Arguments of each tool but those of proposals, about records that exist. */
  readonly calls: Readonly<Record<string, object>> & { readonly why_no_buy: object; readonly stop_buying: object };
  readonly proposal: object;
  readonly uris: readonly string[];
}

async function openStage(): Promise<Stage> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'mcp-inspector-'));
  stack.defer(() => rm(folder, { recursive: true }));
  const api = stack.use(await openTestApi());
  await api.signUp();
  await cacheRules(api, [BTC]);
  await cachePrice(api, BTC.symbol, '50000');
  const { account, profile } = await api.addProfile('Inspected', { symbols: [BTC.symbol] });
  const { id } = profile;
  const { symbol } = BTC;
  const order = await addOrder(api.database, { accountId: account.id, profileId: id, symbol, state: 'filled' });
  const launch = () => api.call(launchBacktest, { params: { id }, body: WINDOW });
  const runs = [(await launch()).runId, (await launch()).runId];
  const sweeping = { ...WINDOW, symbol, knobs: KNOBS };
  const { sweepId } = await api.call(launchSweep, { params: { id }, body: sweeping });
  const calls = {
    ...{ overview: {}, list_profiles: {}, profile_settings: { id }, coin_status: { id, symbol } },
    ...{ account_health: { id: account.id }, risk_status: { id } },
    ...{ why_no_buy: { id, symbol, ...WINDOW }, list_decisions: { id, symbol, limit: 5 }, order_proof: { id: order } },
    ...{
      what_blocks_now: { id, symbol },
      config_history: { id },
      check_config: { id, config: {} },
      list_orders: { id: account.id },
    },
    ...{ list_trades: { id }, trades_by_period: { id }, performance: { id: account.id }, equity: { id } },
    ...{ list_backtests: { id }, get_backtest: { id, run: runs[0] }, compare_backtests: { id, runs } },
    ...{ list_sweeps: { id }, get_sweep: { id, sweep: sweepId } },
    ...{ run_backtest: { id, ...WINDOW }, run_sweep: { id, ...sweeping } },
    ...{ list_proposals: {}, stop_profile: { id, reason: REASON }, stop_buying: { reason: REASON } },
  };
  const proposal = { id, symbol, reason: REASON, order: { side: 'buy', type: 'market', quoteAmount: '15' } };
  const uris = [
    'tradewind://overview',
    `tradewind://orders/${order}/proof`,
    `tradewind://profiles/${id}/backtests/${runs[0]}`,
  ];
  const owned = stack.move();
  return { api, folder, calls, proposal, uris, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Another token for each run: the limit of requests is one of each token. */
async function createAssistant(api: TestApi): Promise<string> {
  const budget = { asset: 'USDT', perOrder: '20', perDay: '20' };
  const body = { name: 'Inspector', scopes: ['research' as const, 'trade' as const], budget };
  return (await api.call(createToken, { body })).token;
}

type Inspect = (...method: readonly string[]) => Promise<unknown>;

/** Runs the command-line mode of the inspector as a program with a token; returns the result of each method. */
async function openInspector(via: 'http' | 'stdio', { api, folder }: Stage): Promise<Inspect> {
  const token = await createAssistant(api);
  const http = [`${api.url}/api/mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${token}`];
  const variables = ['-e', `TRADEWIND_TOKEN=${token}`, '-e', `TRADEWIND_URL=${api.url}`];
  const stdio = [process.execPath, PROGRAM, 'mcp', '--transport', 'stdio', ...variables];
  const where = via === 'http' ? http : stdio;
  return async (...method) => {
    const args = ['--cli', ...where, '--connect-timeout', '120000', '--format', 'json', '--method', ...method];
    const { code, out, err } = await runProgram('inspector', args, { folder });
    assert.equal(code, 0, `${method.join(' ')}: ${out}\n${err}`);
    return z.object({ result: z.unknown() }).parse(JSON.parse(out)).result;
  };
}

const named = z.array(z.object({ name: z.string() }));
const toolResult = z.object({
  isError: z.literal(false).optional(),
  content: z.tuple([z.object({ type: z.literal('text'), text: z.string() })]),
});

async function callTool(inspect: Inspect, name: string, input: object): Promise<unknown> {
  const result = toolResult.safeParse(
    await inspect('tools/call', '--tool-name', name, '--tool-args-json', JSON.stringify(input)),
  );
  assert.ok(result.success, `${name}: ${result.error?.message}`);
  return JSON.parse(result.data.content[0].text);
}

const options = { skip: skipReason };

for (const via of ['http', 'stdio'] as const) {
  test(`the inspector lists every tool over ${via} and finds no error in its schema`, options, async () => {
    await using stage = await openStage();
    const inspect = await openInspector(via, stage);
    const { tools } = z.object({ tools: named }).parse(await inspect('tools/list', '--strict'));
    assert.deepEqual(tools.map(({ name }) => name).toSorted(), TOOLS.map(({ name }) => name).toSorted());
  });

  test(`the inspector lists and reads the resources over ${via}`, options, async () => {
    await using stage = await openStage();
    const inspect = await openInspector(via, stage);
    const listed = z.object({ resources: z.array(z.object({ uri: z.string() })) });
    const { resources } = listed.parse(await inspect('resources/list'));
    assert.deepEqual(
      resources.map(({ uri }) => uri),
      ['tradewind://overview'],
    );
    const templates = z.object({ resourceTemplates: named });
    const { resourceTemplates } = templates.parse(await inspect('resources/templates/list'));
    assert.deepEqual(
      resourceTemplates.map(({ name }) => name),
      ['order-proof', 'backtest'],
    );
    const contentsOf = z.object({ contents: z.array(z.object({ uri: z.string(), text: z.string() })) });
    for (const uri of stage.uris) {
      const { contents } = contentsOf.parse(await inspect('resources/read', '--uri', uri));
      assert.deepEqual(
        contents.map((content) => content.uri),
        [uri],
      );
    }
  });

  test(`the inspector lists and gets the prompts over ${via}`, options, async () => {
    await using stage = await openStage();
    const inspect = await openInspector(via, stage);
    const { prompts } = z.object({ prompts: named }).parse(await inspect('prompts/list'));
    assert.deepEqual(
      prompts.map(({ name }) => name),
      PROMPTS.map(({ name }) => name),
    );
    const args = ['--prompt-name', 'why_did_it_not_buy', '--prompt-args', 'coin=SOL', 'since=2026-01-01'];
    assert.match(JSON.stringify(await inspect('prompts/get', ...args)), /SOL.*2026-01-01/);
  });
}

/** With one token for both: a token sees its own proposals only. */
async function proposeAndCancel(inspect: Inspect, input: object): Promise<void> {
  const { id } = z.object({ id: z.string() }).parse(await callTool(inspect, 'propose_order', input));
  await callTool(inspect, 'cancel_proposal', { id });
}

test('the inspector calls every tool over http', options, async () => {
  await using stage = await openStage();
  for (const [name, input] of Object.entries(stage.calls))
    await callTool(await openInspector('http', stage), name, input);
  await proposeAndCancel(await openInspector('http', stage), stage.proposal);
  const called = [...Object.keys(stage.calls), 'propose_order', 'cancel_proposal'];
  assert.deepEqual(called.toSorted(), TOOLS.map(({ name }) => name).toSorted());
});

test('the inspector reads, proposes and stops buying over stdio', options, async () => {
  await using stage = await openStage();
  const inspect = await openInspector('stdio', stage);
  for (const name of ['why_no_buy', 'stop_buying'] as const) await callTool(inspect, name, stage.calls[name]);
  await proposeAndCancel(inspect, stage.proposal);
});
