// The strategies that ship as files, and one that uses every declaration of their API, over fixed candles: the decisions
// and fills of an earlier version. A difference is a change of what strategy files of operators decide.
// WRITE_GOLDEN=1 writes the results of now.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { aggregateSeries } from '#backtest/columns.ts';
import { checkedRules, checkedWalk, finerThan } from '#backtest/check/market.ts';
import { runKernel } from '#backtest/kernel.ts';
import { formatDecimal, requireDecimal } from '#core/amount/decimal.ts';
import { INTERVAL_MS } from '#core/market/candle.ts';
import { isObject } from '#core/merge.ts';
import { strategyOf } from '#worker/strategy/find.ts';
import { hashOf } from '#worker/strategy/source.ts';

const STORED = join(import.meta.dirname, 'strategy-files', 'expected.json');
const EXAMPLES = join(import.meta.dirname, '../../authoring/examples');
const FILES: readonly string[] = [
  ...['rsi-reversion', 'donchian-breakout', 'bollinger-squeeze', 'accumulate', 'two-frames'].map((name) =>
    join(EXAMPLES, `${name}.ts`),
  ),
  join(import.meta.dirname, 'strategy-files', 'api-1.ts'),
];
const SEED = 11;
const ROWS = 1500;

/** The decisions at each close and the fills of a file with its default settings. */
function resultOf(path: string) {
  const strategy = strategyOf({ name: 'golden.ts', text: readFileSync(path, 'utf8') });
  const bound = strategy.bind(strategy.config.parse({ entrySizing: { amount: '100' } }));
  const { interval, min, also = [] } = bound.needs;
  const own = INTERVAL_MS[interval];
  const longest = Math.max(min, ...also.map((each) => (each.want * INTERVAL_MS[each.interval]) / own));
  const finer = finerThan(interval);
  const rows = (longest + ROWS) * (own / INTERVAL_MS[finer]);
  const detail = checkedWalk({ seed: SEED, rows, interval: finer });
  const run = runKernel({
    ...{ bound, rules: checkedRules(1), detail, signal: aggregateSeries(detail, interval) },
    terms: {
      ...{ balance: requireDecimal('100000'), feeRate: requireDecimal('0.001'), slippage: requireDecimal('0.0002') },
    },
    ...{ start: 0, end: rows, recordDecisions: true },
  });
  const decisions = Array.from(run.decisions ?? [], (code) => run.reasons[code] ?? '');
  const counts: Record<string, number> = {};
  for (const reason of decisions) counts[reason] = (counts[reason] ?? 0) + 1;
  const fills = run.book.fills.map(
    ({ fill: { side, quantity, price, at }, reason }) =>
      `${side} ${formatDecimal(quantity)} at ${formatDecimal(price)} ${at.toISOString()} ${reason}`,
  );
  return {
    reasons: Object.fromEntries(Object.entries(counts).toSorted(([a], [b]) => (a < b ? -1 : 1))),
    decisions: hashOf(decisions.join('\n')),
    fills: { count: fills.length, first: fills.slice(0, 4), last: fills.at(-1) ?? '', all: hashOf(fills.join('\n')) },
  };
}

const nameOf = (path: string): string => path.replace(/^.*[/\\]/, '').replace('.ts', '');

test('the files decide and trade as before', () => {
  const found = Object.fromEntries(FILES.map((path) => [nameOf(path), resultOf(path)]));
  if (process.env['WRITE_GOLDEN'] === '1') writeFileSync(STORED, `${JSON.stringify(found, null, 2)}\n`);
  const stored: unknown = JSON.parse(readFileSync(STORED, 'utf8'));
  assert.ok(isObject(stored));
  for (const [name, result] of Object.entries(found)) assert.deepEqual(result, stored[name], name);
  for (const [name, { fills }] of Object.entries(found)) assert.ok(fills.count > 3, `${name} trades`);
});

test('the file of the first API is the one that was written then', () => {
  const text = readFileSync(join(import.meta.dirname, 'strategy-files', 'api-1.ts'), 'utf8');
  assert.equal(hashOf(text), 'ad04cedf6c129f9668d6af26eb0e9686ff887d85413217f6e7d4fb3fc5c7ac83');
});
