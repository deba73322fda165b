import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createProfile, listStrategies, readCoin, readProfile } from '#api/contract/profiles.ts';
import { switchStrategy } from '#api/contract/profile-configs.ts';
import { openStack } from './stack.ts';
import { until } from './until.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'tradewind-own-'));
after(() => rmSync(FOLDER, { recursive: true, force: true }));
const STRATEGIES = join(FOLDER, 'strategies');
const PATH = join(STRATEGIES, 'my-dip.ts');
const SYMBOL = 'BTCUSDT';

/** Buys at once, and sells after some candles: it trades on any market. */
const source = (candles: number): string =>
  readFileSync(join(import.meta.dirname, '../../authoring/examples/rsi-reversion.ts'), 'utf8')
    .replace("'rsi-reversion'", "'my-dip'")
    .replace("interval: '1h'", "interval: '1m'")
    .replace('rsi.value >= set.buyBelow', 'rsi.value > 101')
    .replace('({ rsi, set }) => rsi.value > set.sellAbove', `({ bars }) => bars >= ${candles}`);

test('a file becomes a profile that trades; a new version is offered; a deleted one still sells', async () => {
  mkdirSync(STRATEGIES, { recursive: true });
  writeFileSync(PATH, source(2));
  await using stack = await openStack({ source: { kind: 'synthetic' }, speed: 60, strategyDir: STRATEGIES });
  const offered = async (): Promise<string[]> =>
    (await stack.call(listStrategies, {})).strategies.flatMap(({ name }) => (name.startsWith('my-dip@') ? [name] : []));
  await until('the file to be offered', async () => (await offered()).length === 1, 30_000);
  const [first = ''] = await offered();
  const { profile } = await stack.call(createProfile, {
    body: {
      ...{ accountId: stack.accountId, name: 'Own', strategyName: first, enabled: true, symbols: [SYMBOL] },
      config: { entrySizing: { mode: 'fixed', amount: '100' }, lossCooldownMinutes: 0, settings: { length: 3 } },
    },
  });
  const orders = stack.database.kysely.selectFrom('orders').selectAll().where('profile_id', '=', profile.id);
  await until(
    'a buy and a sale by its rules',
    async () => {
      const reasons = (await orders.execute()).map(({ reason }) => reason);
      return reasons.includes('rsi-low') && reasons.includes('rsi-recovered');
    },
    120_000,
  );
  const [order] = await orders.execute();
  assert.match(JSON.stringify(order?.decision), new RegExp(first));

  writeFileSync(PATH, source(3));
  await until('the new version to be offered', async () => (await offered()).some((name) => name !== first), 30_000);
  const [second = ''] = await offered();
  const params = { id: profile.id };
  assert.equal((await stack.call(readProfile, { params })).strategyName, first, 'the profile stays at its version');
  const config = (await stack.call(readProfile, { params })).config;
  const switched = await stack.call(switchStrategy, { params, body: { strategyName: second, config } });
  assert.equal(switched.profile.strategyName, second);

  rmSync(PATH);
  await until(
    'entries to be refused because the file is gone',
    async () => {
      const { coin } = await stack.call(readCoin, { params: { ...params, symbol: SYMBOL } });
      return coin.state?.decision.reason === 'strategy-file-gone';
    },
    60_000,
  );
});
