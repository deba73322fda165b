import assert from 'node:assert/strict';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { z } from 'zod';
import { ordersOf } from '../../paper/exchange/orders.ts';
import { notInstalled, pythonProgram, type PythonTool, sourcesOf } from './python.ts';
import { NOT_SPOT, SKIPPED_BY_AUTHORS, SPOT_FILES } from './python-binance-tests.ts';
import { CLIENT_SECONDS, runPython, scriptPath } from './python-client.ts';
import { openExchange, type ClientExchange } from './client-exchange.ts';

/** A candle of a minute closes in runs as short as the default one. */
const SHORT_RUN = { seconds: 120, speed: 6, startMs: 60 * 60_000 };
/** The strategy sells after a minute; a run so long sells for sure. */
const SELLS_SECONDS = 180;
const PAIRS = ['BTCUSDT', 'ETHUSDT', 'LTCUSDT'];

const count = z.int().min(0);
const nautilus = z.object({
  ...{ instruments: count, quotes: count, trades: count, bars: count, deltas: count, history: count },
  ...{ historyTrades: count, tradeGaps: count, barGaps: count, crossedBooks: count },
});
const freqtrade = z.object({
  ...{ code: z.int(), trades: count, closed: count, stops: count, orders: count, errors: z.array(z.string()) },
});
const ids = z.array(z.string());
const pytest = z.object({ passed: ids, failed: ids, skipped: ids });
const totals = z.array(z.object({ asset: z.string(), difference: z.string() }));

/** Runs next to the other clients, as they mostly wait; left out where its tool is not installed. */
function clientTest(tool: PythonTool, name: string, run: (context: TestContext) => Promise<void>): void {
  const skip = pythonProgram(tool, 'python') === undefined ? notInstalled(tool) : false;
  test(`${tool} ${name}`, { skip }, run);
}

async function checkMoney(exchange: ClientExchange): Promise<void> {
  for (const { asset, difference } of totals.parse(await exchange.control('GET /conservation')))
    assert.equal(Number(difference), 0, asset);
}

describe('unmodified clients in Python', { concurrency: 3 }, () => {
  clientTest('nautilus_trader', 'follows the market without a gap', async (context) => {
    const isShort = CLIENT_SECONDS < SHORT_RUN.seconds;
    await using exchange = await openExchange({
      clock: { kind: 'real' },
      ...(isShort && { speed: SHORT_RUN.speed, fromMs: Date.now() - SHORT_RUN.startMs }),
    });
    const { summary, output } = await runPython(exchange, {
      ...{ tool: 'nautilus_trader', args: [scriptPath('run_nautilus.py')], cwd: tmpdir(), summary: nautilus },
    });
    context.diagnostic(JSON.stringify(summary));
    const { tradeGaps, barGaps, crossedBooks, ...seen } = summary;
    assert.deepEqual({ tradeGaps, barGaps, crossedBooks }, { tradeGaps: 0, barGaps: 0, crossedBooks: 0 });
    assert.ok(
      Object.values(seen).every((number) => number > 0),
      JSON.stringify(seen),
    );
    assert.deepEqual(linesWith(output, /\[ERROR\]|Traceback/), []);
  });

  clientTest('freqtrade', 'trades with a stop on the exchange', async (context) => {
    await using exchange = await openExchange({ clock: { kind: 'real' } });
    const { summary, output } = await runPython(exchange, {
      ...{ tool: 'freqtrade', args: [scriptPath('run_freqtrade.py')], cwd: tmpdir(), summary: freqtrade },
    });
    context.diagnostic(JSON.stringify(summary));
    const { code, trades, closed, stops, orders, errors } = summary;
    assert.deepEqual(errors, []);
    assert.equal(code, 130, output.slice(-4000));
    assert.ok(trades > 0 && stops > 0);
    if (CLIENT_SECONDS >= SELLS_SECONDS) assert.ok(closed > 0, 'no trade was closed');
    const placed = PAIRS.flatMap((pair) => ordersOf(exchange.paper.venue.engine.orders, 'HMAC', pair));
    assert.equal(placed.length, orders);
    assert.equal(placed.filter(({ type }) => type === 'STOP_LOSS_LIMIT').length, stops);
    await checkMoney(exchange);
  });

  clientTest('python-binance', 'passes its own tests of spot', async (context) => {
    const folder = await mkdtemp(join(tmpdir(), 'python-binance-'));
    try {
      await cp(join(sourcesOf('python-binance'), 'tests'), join(folder, 'tests'), { recursive: true });
      await cp(scriptPath('binance_conftest.py'), join(folder, 'tests', 'conftest.py'));
      await writeFile(join(folder, 'tests', '__init__.py'), '');
      const groups = await Promise.all(SPOT_FILES.map((names) => runTwice(folder, names.map(fileOf), context)));
      const passed = groups.flatMap((group) => group.passed);
      context.diagnostic(`${passed.length} of its tests passed`);
      assert.deepEqual(new Set(groups.flatMap(({ failed }) => failed)), idsOf(NOT_SPOT));
      assert.deepEqual(new Set(groups.flatMap(({ skipped }) => skipped)), idsOf(SKIPPED_BY_AUTHORS));
      assert.ok(passed.length >= 150);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

const idsOf = (lists: Readonly<Record<string, readonly string[]>>): Set<string> => new Set(Object.values(lists).flat());
const isNotSpot = (id: string): boolean => idsOf(NOT_SPOT).has(id);
const fileOf = (name: string): string => `tests/test_${name}.py`;
const pathOf = (id: string): string => `tests/${id}`;
const linesWith = (output: string, pattern: RegExp): string[] =>
  output.split('\n').filter((line) => pattern.test(line));

type Outcomes = z.infer<typeof pytest>;

/** Runs tests against an exchange of their own. */
async function runOwnTests(folder: string, names: readonly string[]): Promise<Outcomes & { output: string }> {
  await using exchange = await openExchange({ clock: { kind: 'real' } });
  // One of the tests wants to see an answer that takes longer than a tenth of a millisecond.
  const match = { method: 'WS', path: 'depth' };
  await exchange.control('POST /faults', [{ kind: 'delay', match, delayMs: 20, times: 1000 }]);
  const options = ['-q', '-W', 'ignore', '-p', 'no:unraisableexception', '-p', 'no:cacheprovider', '--timeout', '60'];
  const { summary, output } = await runPython(exchange, {
    ...{ tool: 'python-binance', args: ['-m', 'pytest', ...options, '--tb', 'short', ...names], cwd: folder },
    summary: pytest,
  });
  await checkMoney(exchange);
  return { ...summary, output };
}

/** Some of the tests allow the client five seconds to start: on a busy machine a failed one has a second try. */
async function runTwice(folder: string, names: readonly string[], context: TestContext): Promise<Outcomes> {
  const { passed, failed, skipped, output } = await runOwnTests(folder, names);
  const [known, unexpected] = [failed.filter(isNotSpot), failed.filter((id) => !isNotSpot(id))];
  if (unexpected.length === 0) return { passed, failed, skipped };
  context.diagnostic(`Failed at first: ${unexpected.join(', ')}\n${output.slice(0, 20_000)}`);
  const again = await runOwnTests(folder, unexpected.map(pathOf));
  return { passed: [...passed, ...again.passed], failed: [...known, ...again.failed], skipped };
}
