// Backtests and sweeps against vectorbt, in turns on the same candles: npm run bench
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { searchAll } from '#backtest/sweep/search.ts';
import { runBacktest } from '#backtest/run.ts';
import { requireDecimal, ZERO } from '#core/amount/decimal.ts';
import { sliceColumns } from '#core/market/candle-columns.ts';
import { listingOf } from '#paper/market/listings.ts';
import { candidatesOf } from '#strategies/candidates.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import { installPythonTool, pythonProgram } from '#test/clients/python.ts';
import { SweepThreads } from '#worker/sweep-threads.ts';
import { benchMinutes } from './market.ts';
import { report, reportAbsent } from './report.ts';

const [ROWS, YEAR] = [1_000_000, 525_600];
const ROUNDS = 5;
const [WARM_UPS, WARM_UPS_WITH_LISTS] = [10, 3];
/** vectorbt keeps every value of all its sets in memory: a sweep gives it these few at a time. */
const SETS_AT_ONCE = 10;
const KNOBS = 'ema.fast=5..50:5;ema.slow=60..240:20;trailingStopPercentage=0.9..0.99:0.01';

const strategy = STRATEGIES.get('momentum');
assert.ok(strategy);
const series = benchMinutes(ROWS);
const terms = { balance: requireDecimal('10000'), feeRate: requireDecimal('0.001'), slippage: ZERO };
const market = { rules: listingOf('BTCUSDT', 60_000).rules, terms };
const config = {
  ...{ candleInterval: '1m', ema: { fast: 9, slow: 21 }, trailingStopPercentage: '0.95' },
  ...{ entryExtension: { maxPercentage: '' }, entrySizing: { mode: 'fixed', amount: '100' } },
  ...{ lossCooldownMinutes: 0, protectiveStop: { enabled: false } },
};

/** Processor time in ms, all threads of the process included. */
async function timed<T>(work: () => T | Promise<T>): Promise<{ readonly ms: number; readonly found: T }> {
  const before = process.cpuUsage();
  const found = await work();
  const { user, system } = process.cpuUsage(before);
  return { ms: (user + system) / 1000, found };
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
const shown = (values: readonly number[]): string =>
  `${median(values).toFixed(0)} ms (${Math.min(...values).toFixed(0)} to ${Math.max(...values).toFixed(0)})`;

const answer = z.object({ version: z.string() }).or(z.object({ ms: z.number(), found: z.number() }));

async function openPeer(stack: AsyncDisposableStack) {
  if (!(await installPythonTool('vectorbt'))) return undefined;
  const python = pythonProgram('vectorbt', 'python');
  if (python === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'peers-'));
  stack.defer(() => rmSync(folder, { recursive: true }));
  const closes = join(folder, 'closes');
  writeFileSync(closes, series.columns.close);
  const child = spawn(python, [join(import.meta.dirname, 'peers.py'), closes], { stdio: ['pipe', 'pipe', 'inherit'] });
  stack.defer(async () => {
    child.stdin.end();
    if (child.exitCode === null) await once(child, 'exit');
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const line = await lines.next();
    if (line.done === true) throw new Error('vectorbt ended; see the lines above');
    return answer.parse(JSON.parse(line.value));
  };
  const first = await next();
  const run = async (...request: readonly unknown[]): Promise<{ readonly ms: number; readonly found: number }> => {
    child.stdin.write(`${JSON.stringify(request)}\n`);
    const result = await next();
    assert.ok('ms' in result);
    return result;
  };
  return { version: 'version' in first ? first.version : '', run };
}

await using stack = new AsyncDisposableStack();
const peer = await openPeer(stack);
if (peer === undefined) {
  reportAbsent(
    'Not compared with vectorbt: it could not be installed. It needs Python 3.11 or newer with venv, and the package index.',
  );
} else {
  await compareRuns(peer.run);
  await compareSweeps(peer.run);
  console.log(`processor time of both, in turns, medians of ${ROUNDS} rounds; vectorbt ${peer.version}`);
}

type Run = NonNullable<Awaited<ReturnType<typeof openPeer>>>['run'];

async function compareRuns(run: Run): Promise<void> {
  assert.ok(strategy);
  const input = { ...market, bound: strategy.bind(strategy.config.parse(config)), candles: series };
  // As in vectorbt, the fills of a report are columns, and the lists of fills and cycles are built when they are read.
  const full = () => {
    const outcome = runBacktest(input);
    assert.ok(outcome.kind === 'result');
    return outcome.result;
  };
  const read = () => {
    const { fills, cycles } = full();
    assert.equal(fills.length, 2 * cycles.length);
    return fills.length;
  };
  const times: Record<'own' | 'ownLists' | 'ownAmong' | 'statistics' | 'lists' | 'statisticsAmong', number[]> = {
    ...{ own: [], ownLists: [], ownAmong: [], statistics: [], lists: [], statisticsAmong: [] },
  };
  let fills = [0, 0];
  // Both compile at first, and the code that builds lists later. Collecting the garbage of lists reaches into the next run.
  for (let round = -WARM_UPS; round < ROUNDS; round++) {
    const [own, statistics] = [await timed(full), await run('single', 9, 21, false)];
    if (round < 0) continue;
    times.own.push(own.ms);
    times.statistics.push(statistics.ms);
  }
  for (let round = -WARM_UPS_WITH_LISTS; round < ROUNDS; round++) {
    // After its lists, the process of vectorbt reuses their memory, and its statistics take half as long.
    const [among, statistics] = [await timed(full), await run('single', 9, 21, false)];
    const [own, lists] = [await timed(read), await run('single', 9, 21, true)];
    fills = [own.found, lists.found];
    if (round < 0) continue;
    times.ownAmong.push(among.ms);
    times.statisticsAmong.push(statistics.ms);
    times.ownLists.push(own.ms);
    times.lists.push(lists.ms);
  }
  const ratio = (other: readonly number[], to: readonly number[]): string => (median(other) / median(to)).toFixed(2);
  console.log(`${ROWS} candles, averages of 9 and 21, ${fills.join(' and ')} fills`);
  console.log(`  own, every statistic and the fingerprint  ${shown(times.own)}`);
  console.log(
    `  vectorbt, every statistic                 ${shown(times.statistics)}, ${ratio(times.statistics, times.own)} times`,
  );
  console.log(`  both, between runs with lists             ${shown(times.ownAmong)}, ${shown(times.statisticsAmong)}`);
  console.log(`  own, lists of fills and cycles as well    ${shown(times.ownLists)}`);
  console.log(
    `  vectorbt, lists of orders and trades      ${shown(times.lists)}, ${ratio(times.lists, times.ownLists)} times`,
  );
  const rates = (of: keyof typeof times) => times[of].map((ms) => ROWS / ms / 1000);
  const what = 'the run with 47,010 fills, every statistic and the fingerprint, processor time';
  report({
    ...{ id: 'peers.run', what, unit: 'M candles/s', values: rates('own') },
    floor: { name: 'vectorbt from signals to statistics', values: rates('statistics') },
  });
  report({
    ...{ id: 'peers.run-among', what: `${what}, between runs with lists`, unit: 'M candles/s' },
    ...{ values: rates('ownAmong'), floor: { name: 'vectorbt likewise', values: rates('statisticsAmong') } },
  });
  report({
    ...{
      id: 'peers.run-lists',
      what: 'the same run with its lists of fills and cycles, as texts',
      unit: 'M candles/s',
    },
    ...{
      values: rates('ownLists'),
      floor: { name: 'vectorbt with its lists of orders and trades', values: rates('lists') },
    },
  });
}

async function compareSweeps(run: Run): Promise<void> {
  assert.ok(strategy);
  const year = { interval: '1m' as const, columns: sliceColumns(series.columns, 0, YEAR) };
  const window = { start: 0, end: YEAR };
  const made = candidatesOf(strategy, strategy.config.parse({ candleInterval: '1m' }), {
    knobs: KNOBS,
    draw: undefined,
  });
  assert.ok(made.kind === 'ok');
  const { candidates } = made.value;
  const base = { ...market, signal: year, detail: year, ...window };
  await using pool = new SweepThreads({ base, strategyName: 'momentum' }, { threads: 1 });
  const fast = Array.from({ length: SETS_AT_ONCE }, (_, n) => 5 + 5 * n);
  const slow = Array.from({ length: SETS_AT_ONCE }, (_, n) => 60 + 20 * n);
  const [own, other]: [number[], number[]] = [[], []];
  for (let round = -2; round < ROUNDS; round++) {
    const mine = await timed(() => searchAll(pool.evaluate, candidates, window));
    const theirs = await run('sweep', fast, slow, 0.05, YEAR);
    assert.equal(mine.found.length, candidates.length);
    assert.equal(theirs.found, SETS_AT_ONCE);
    if (round < 0) continue;
    own.push((mine.ms / candidates.length) * 1000);
    other.push((theirs.ms / SETS_AT_ONCE) * 1000);
  }
  console.log(
    `sweep of ${candidates.length} sets over ${YEAR} candles; vectorbt ${SETS_AT_ONCE} of them, as many at once`,
  );
  console.log(`  own       ${shown(own)} for 1,000 sets`);
  console.log(`  vectorbt  ${shown(other)} for 1,000 sets, ${(median(other) / median(own)).toFixed(0)} times`);
  const rates = (ms: readonly number[]) => ms.map((each) => 1_000_000 / each);
  report({
    ...{ id: 'peers.sweep', what: '1,000 sets of momentum over a year of minutes, processor time', unit: 'sets/s' },
    ...{ values: rates(own), floor: { name: 'vectorbt with 10 of the sets', values: rates(other) } },
  });
}
