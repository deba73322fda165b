import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promoteDryRun, readDryRun, startDryRun } from '#api/contract/dry-runs.ts';
import { createProfile, listStrategies, readCoin } from '#api/contract/profiles.ts';
import { openStack } from './stack.ts';
import { until } from './until.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'tradewind-dry-'));
after(() => rmSync(FOLDER, { recursive: true, force: true }));
const STRATEGIES = join(FOLDER, 'strategies');
const SYMBOL = 'BTCUSDT';

/** Buys at once, and sells only at its stop: a position is open when the dry run starts. */
const SOURCE = readFileSync(join(import.meta.dirname, '../../authoring/examples/rsi-reversion.ts'), 'utf8')
  .replace("'rsi-reversion'", "'my-dip'")
  .replace("interval: '1h'", "interval: '1m'")
  .replace('rsi.value >= set.buyBelow', 'rsi.value > 101')
  .replace('({ rsi, set }) => rsi.value > set.sellAbove', '({ bars, set }) => bars >= set.sellAbove');

test('a dry run of a strategy file starts from the position, is computed by itself, and is promoted', async () => {
  mkdirSync(STRATEGIES, { recursive: true });
  writeFileSync(join(STRATEGIES, 'my-dip.ts'), SOURCE);
  await using stack = await openStack({ source: { kind: 'synthetic' }, speed: 60, strategyDir: STRATEGIES });
  const offered = async (): Promise<string | undefined> =>
    (await stack.call(listStrategies, {})).strategies.find(({ name }) => name.startsWith('my-dip@'))?.name;
  await until('the file to be offered', async () => (await offered()) !== undefined, 30_000);
  const config = {
    entrySizing: { mode: 'fixed', amount: '100' },
    lossCooldownMinutes: 0,
    settings: { sellAbove: '95' },
  };
  const { profile } = await stack.call(createProfile, {
    body: {
      ...{ accountId: stack.accountId, name: 'Own', strategyName: (await offered()) ?? '', enabled: true },
      ...{ symbols: [SYMBOL], config },
    },
  });
  const params = { id: profile.id };
  const held = async () => (await stack.call(readCoin, { params: { ...params, symbol: SYMBOL } })).coin.position;
  await until('a position', async () => Number((await held()).quantity) > 0, 120_000);
  const changed = { ...config, settings: { sellAbove: '55' } };
  const { dryRun } = await stack.call(startDryRun, { params, body: { config: changed, decisions: 10 } });
  const ofRun = { ...params, dryRunId: dryRun.id };
  const read = () => stack.call(readDryRun, { params: ofRun });
  await until('the dry run to finish', async () => (await read()).state !== 'running', 180_000);
  const { state, error, result } = await read();
  assert.deepEqual([state, error], ['finished', null]);
  const [coin] = result?.coins ?? [];
  assert.equal(coin?.refused, null);
  assert.ok((coin?.present.decisions ?? 0) >= 10);
  assert.equal(coin?.present.decisions, coin?.changed.decisions);
  assert.ok(Number(result?.totals[0]?.held) > 50, JSON.stringify(result?.totals));
  assert.match(result?.assumptions.join(' ') ?? '', new RegExp(`held then in ${SYMBOL}`));
  const { profile: promoted } = await stack.call(promoteDryRun, { params: ofRun });
  assert.deepEqual(promoted.config, changed);
});
