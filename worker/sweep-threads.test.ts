import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { ownStrategy } from '#authoring/own-strategy.ts';
import { openKernel } from '#backtest/run.ts';
import { evaluateSets, searchAll } from '#backtest/sweep/search.ts';
import { requireDecimal, ZERO } from '#core/amount/decimal.ts';
import { sharedColumns } from '#core/market/candle-columns.ts';
import { isObject } from '#core/merge.ts';
import { candidatesOf } from '#strategies/candidates.ts';
import { rulesWith } from '#test/harness/rules.ts';
import { loadVersion } from '#worker/strategy/version.ts';
import { SweepThreads } from './sweep-threads.ts';

const ROWS = 400;
const columns = sharedColumns(ROWS);
for (let row = 0; row < ROWS; row += 1) {
  const price = Math.round((100 + 5 * Math.sin(row / 6)) * 100) / 100;
  columns.openMs[row] = row * 3_600_000;
  for (const part of ['open', 'high', 'low', 'close'] as const) columns[part][row] = price;
  columns.volume[row] = 100;
}

test('the sets of a strategy file are computed on every thread, as on one', async () => {
  const text = readFileSync(join(import.meta.dirname, '../authoring/examples/rsi-reversion.ts'), 'utf8');
  const file = { name: 'rsi-reversion.ts', text };
  const loaded = loadVersion(file.name, file.text);
  assert.ok(loaded.kind === 'version');
  const strategy = ownStrategy(loaded.version);
  const made = candidatesOf(strategy, strategy.config.parse({}), {
    knobs: 'settings.buyBelow=20..50:1',
    draw: undefined,
  });
  assert.ok(made.kind === 'ok');
  const { candidates } = made.value;
  const terms = { balance: requireDecimal('1000'), feeRate: requireDecimal('0.001'), slippage: ZERO };
  const candles = { interval: '1h', columns } as const;
  const bound = strategy.bind(candidates[0]?.config);
  const opened = openKernel({ bound, rules: rulesWith(), terms, candles });
  assert.ok(opened.kind === 'kernel');
  const { bound: _, ...base } = opened.kernel;

  const computed = new Map<number, number>();
  const count = (worker: Worker): void => {
    const { threadId } = worker;
    worker.on('message', (message: unknown) => {
      if (!isObject(message) || !Array.isArray(message['sets'])) return;
      computed.set(threadId, (computed.get(threadId) ?? 0) + message['sets'].length);
    });
  };
  process.on('worker', count);
  await using pool = new SweepThreads({ base, strategyName: strategy.name, file }, { threads: 3 });
  const tried = await searchAll(pool.evaluate, candidates, { start: base.start, end: base.end });

  process.off('worker', count);
  assert.equal(computed.size, 3);
  assert.equal(
    [...computed.values()].reduce((sum, sets) => sum + sets, 0),
    candidates.length,
  );
  const alone = evaluateSets(
    base,
    strategy,
    candidates.map(({ config }) => config),
  );
  assert.deepEqual(
    tried.map(({ evaluated }) => evaluated.numbers),
    alone.map(({ numbers }) => numbers),
  );
  assert.ok(new Set(alone.map(({ numbers }) => numbers.finalEquity)).size > 1, 'the sets differ');
});
