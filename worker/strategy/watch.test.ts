import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { sharedColumns } from '#core/market/candle-columns.ts';
import { isObject } from '#core/merge.ts';
import { requireDecimal } from '#core/amount/decimal.ts';
import { chargesOf } from '#core/research/costs.ts';
import { sweepRequest } from '#core/research/research.ts';
import { newId, type ProfileId } from '#core/ids.ts';
import { CandleStore } from '#storage/candles/store.ts';
import { GOLDEN_RULES } from '#test/golden/market-run.ts';
import { runBacktestApart } from '#worker/backtest-in-thread.ts';
import { type Prepared, ResearchRefused } from '#worker/jobs/prepared.ts';
import { createSweepProcess, type SweepProcess, type UnitStart } from '#worker/sweep-process.ts';
import { hashOf } from './source.ts';

const HOUR_MS = 3_600_000;
const FROM = Date.UTC(2024, 0, 1);
const ROWS = 400;
const COSTS = { feeBps: '10', feeIn: 'received', slippageBps: '0', spreadBps: '0', volumePercent: '0' } as const;
const CONFIG = { settings: { buyBelow: '30' } };
const FOLDER = mkdtempSync(join(tmpdir(), 'watch-'));
after(() => rmSync(FOLDER, { recursive: true, force: true }));
const never = new AbortController().signal;

const TEXT = readFileSync(join(import.meta.dirname, '../../authoring/examples/rsi-reversion.ts'), 'utf8');
/** Loops endlessly from its 300th candle on. */
const LOOP = TEXT.replace(
  '({ rsi, set }) => rsi.value >= set.buyBelow',
  `({ time, rsi, set }) => { while (time >= ${FROM + 300 * HOUR_MS}) {} return rsi.value >= set.buyBelow; }`,
);
const RULE = LOOP.split('\n').findIndex((line) => line.includes('rsi-not-low')) + 1;
const HUNG = new RegExp(`loop\\.ts:${RULE}: rule rsi-not-low hung at the candle that closed at 2024-01-13T`);

function prepare(text: string): Prepared {
  const columns = sharedColumns(ROWS);
  for (let row = 0; row < ROWS; row += 1) {
    const price = 100 + 5 * Math.sin(row / 6);
    columns.openMs[row] = FROM + row * HOUR_MS;
    for (const each of ['open', 'high', 'low', 'close'] as const) columns[each][row] = Math.round(price * 100) / 100;
    columns.volume[row] = 100;
  }
  new CandleStore(FOLDER).add(GOLDEN_RULES.symbol, '1h', columns);
  return {
    strategyName: `rsi-reversion@${hashOf(text)}`,
    file: { name: 'loop.ts', text },
    config: CONFIG,
    rules: GOLDEN_RULES,
    terms: { balance: requireDecimal('1000'), ...chargesOf(COSTS) },
    stored: { folder: FOLDER, symbol: GOLDEN_RULES.symbol, interval: '1h', fromMs: FROM, toMs: FROM + ROWS * HOUR_MS },
    fromMs: FROM,
    toMs: FROM + ROWS * HOUR_MS,
  };
}

const backtest = (files: SweepProcess, text: string) => {
  const start = { inputs: [{ ...prepare(text), profileId: newId<ProfileId>() }] };
  return runBacktestApart(start, { files, signal: never });
};

test('a file that hangs ends its backtest with file and line', async () => {
  await using files = createSweepProcess({ isolated: true, waited: true });
  const isHung = (error: unknown): boolean => error instanceof ResearchRefused && HUNG.test(error.message);
  await assert.rejects(backtest(files, LOOP), isHung);
});

test('a file that takes all memory ends its backtest with a sentence, and the next backtest runs', async () => {
  await using files = createSweepProcess({ isolated: true, waited: true });
  const hog = TEXT.replace(
    '({ rsi, set }) => rsi.value >= set.buyBelow',
    '({ set }) => { const kept = []; for (;;) kept.push(new Array(1_000_000).fill(set.buyBelow)); }',
  );
  const isRefused = (error: unknown): boolean => error instanceof ResearchRefused && /memory|hung/.test(error.message);
  await assert.rejects(backtest(files, hog), isRefused);
  assert.equal((await backtest(files, TEXT)).kind, 'result');
});

test('a file that hangs ends the unit of its sweep with file and line, and the next unit runs', async () => {
  await using sweeps = createSweepProcess({ isolated: true });
  const terms = { from: new Date(FROM).toISOString(), to: new Date(FROM + ROWS * HOUR_MS).toISOString() };
  const request = {
    ...{ ...terms, detailInterval: '1h', balance: '1000', venue: 'testnet', ...COSTS },
    ...{ coin: { symbol: GOLDEN_RULES.symbol, config: CONFIG }, knobs: 'settings.buyBelow=20..40:10' },
  };
  const unit = { sweepId: newId<string>(), stage: 0, number: 0 };
  const start = (text: string): UnitStart => {
    const sets = [0, 1, 2];
    return { kind: 'unit', unit, request: sweepRequest.parse(request), prepared: prepare(text), sets, database: null };
  };
  const hung = sweeps.carryOut(start(LOOP), never);
  await assert.rejects(hung, (error) => error instanceof ResearchRefused && HUNG.test(error.message));
  const done = await sweeps.carryOut(start(TEXT), never);
  assert.equal(isObject(done) ? done['trials'] : undefined, 3);
});
