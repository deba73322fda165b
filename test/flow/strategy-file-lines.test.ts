// The api draws the indicators of a strategy file without running it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { readStrategyVersions } from '#api/frame/strategy-versions.ts';
import { referenceOf } from '#authoring/own-strategy.ts';
import { checkedRules } from '#backtest/check/market.ts';
import { createRsi } from '#core/indicators/rsi.ts';
import { keepDeclared } from '#storage/operator/strategy-declarations.ts';
import { keepVersion } from '#storage/operator/strategy-versions.ts';
import { drawCandles, type LineValues } from '#strategies/draw-candles.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import { hourCandle } from '#strategies/test-view.ts';
import { openTestDatabase, type TestDatabase } from '#test/harness/test-database.ts';
import { loadVersion } from '#worker/strategy/version.ts';

const text = readFileSync(join(import.meta.dirname, '../../authoring/examples/rsi-reversion.ts'), 'utf8');
const loaded = loadVersion('rsi-reversion.ts', text);
assert.ok(loaded.kind === 'version');
const { hash, description, declare, declared } = loaded.version;
const FIVE = { length: 5, buyBelow: 30, sellAbove: 55, stopBelow: 0.05 };
const closes = Array.from({ length: 40 }, (_, i) => 100 + 5 * Math.sin(i) + i / 10);

let db: TestDatabase;
let reading: AsyncDisposable;
before(async () => {
  db = await openTestDatabase();
  const row = { hash, name: description.name, file: 'rsi-reversion.ts', source: text };
  await keepVersion(db.database.kysely, { ...row, description: JSON.parse(JSON.stringify(description)), declared });
  reading = await readStrategyVersions(db.database, (error) => assert.fail(String(error)));
});
after(async () => {
  await reading?.[Symbol.asyncDispose]();
  await db?.[Symbol.asyncDispose]();
});

/** The drawn RSI with a length. */
async function drawn(length: number): Promise<LineValues | undefined> {
  const strategy = STRATEGIES.get(referenceOf(description.name, hash));
  assert.ok(strategy);
  const config = { entrySizing: { amount: '100' }, settings: { length } };
  await strategy.prepare?.(config);
  const candles = closes.map((close, i) => hourCandle(i, close));
  return drawCandles({ bound: strategy.bind(config), rules: checkedRules(1), candles, steps: [] }).get('rsi');
}

const rsiOf = (length: number): number => {
  const rsi = createRsi(length);
  for (const close of closes) rsi.push(close);
  return rsi.value;
};

test('the RSI of the default settings is drawn', async () => {
  assert.equal((await drawn(14))?.at(-1), rsiOf(14));
});

test('an RSI of other settings is drawn once a worker has stored what the file declares for them', async () => {
  assert.equal(await drawn(5), undefined);
  await keepDeclared(db.database.kysely, { hash, settings: FIVE }, declare(FIVE));
  assert.equal((await drawn(5))?.at(-1), rsiOf(5));
});
