// Every hostile strategy file that runs, in the folder of one worker: each that loads as a profile, next to a good one.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createProfile, listStrategies } from '#api/contract/profiles.ts';
import { listStrategyFiles } from '#api/contract/strategy-files.ts';
import type { ProfileId } from '#core/ids.ts';
import { FAILING, file, FOUND } from '#test/harness/hostile-files.ts';
import { SYNTHETIC_SYMBOLS } from '#paper/market/synthetic.ts';
import { openStack, type Stack } from './stack.ts';
import { until } from './until.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'tradewind-hostile-profiles-'));
/** Each profile of an account has coins of its own. */
const COINS = SYNTHETIC_SYMBOLS.filter((symbol) => symbol.endsWith('USDT'));
/** Its rules are code of the file, which must answer for each buy and sale. */
const GOOD = readFileSync(join(import.meta.dirname, '../../authoring/examples/rsi-reversion.ts'), 'utf8')
  .replace("'rsi-reversion'", "'good'")
  .replace("interval: '1h'", "interval: '1m'")
  .replace('rsi.value >= set.buyBelow', 'rsi.value > 101')
  .replace('({ rsi, set }) => rsi.value > set.sellAbove', '({ bars }) => bars >= 2');

/** Their statements run when they are loaded. Files that are refused by their text run nothing. */
const UNUSABLE = Object.values(FAILING).map(([top]) => file({ top }));
const RUNNING = Object.values(FOUND).map(([text]) => text.replace("'1h'", "'1m'"));

let stack: Stack;
let good: ProfileId;
const hostile = new Map<string, ProfileId>();

const named = (text: string, name: string): string => text.replace("name: 'hostile'", `name: '${name}'`);

async function addProfile(strategyName: string, symbol: string): Promise<ProfileId> {
  const [name = ''] = strategyName.split('@');
  const { profile } = await stack.call(createProfile, {
    body: {
      ...{ accountId: stack.accountId, name, strategyName, enabled: true, symbols: [symbol] },
      config: { entrySizing: { mode: 'fixed', amount: '100' }, lossCooldownMinutes: 0 },
    },
  });
  return profile.id;
}

before(async () => {
  writeFileSync(join(FOLDER, 'good.ts'), GOOD);
  for (const [i, text] of UNUSABLE.entries())
    writeFileSync(join(FOLDER, `unusable-${i}.ts`), named(text, `unusable-${i}`));
  for (const [i, text] of RUNNING.entries())
    writeFileSync(join(FOLDER, `running-${i}.ts`), named(text, `running-${i}`));
  stack = await openStack({ source: { kind: 'synthetic' }, speed: 60, strategyDir: FOLDER });
  const offered = async (): Promise<string[]> =>
    (await stack.call(listStrategies, {})).strategies.map(({ name }) => name).filter((name) => name.includes('@'));
  const all = 1 + RUNNING.length;
  await until('every file that loads to be offered', async () => (await offered()).length === all, 300_000);
  for (const [i, name] of (await offered()).entries()) {
    const id = await addProfile(name, COINS[i] ?? '');
    if (name.startsWith('good@')) good = id;
    else hostile.set(name, id);
  }
});
after(async () => {
  await stack?.[Symbol.asyncDispose]();
  rmSync(FOLDER, { recursive: true, force: true });
});

test('a file that cannot be used is named with what is wrong, and no profile can use it', async () => {
  const { files } = await stack.call(listStrategyFiles, {});
  const unusable = files.filter(({ file: name }) => name.startsWith('unusable-'));
  assert.equal(unusable.length, UNUSABLE.length);
  for (const { file: name, problem } of unusable) assert.match(problem ?? '', new RegExp(`^${name}|answer|process`));
  assert.equal(hostile.size, RUNNING.length);
});

test('every file whose rules hang or throw is quarantined, and has bought nothing', async () => {
  const failing = Object.values(FOUND).flatMap(([, says], i) => (says.source.startsWith('hostile') ? [i] : []));
  assert.ok(failing.length >= 9);
  for (const i of failing) {
    const name = `running-${i}`;
    const sentence = await until(`the quarantine of ${name}`, async () => await quarantineOf(name), 300_000);
    assert.match(sentence, new RegExp(`^${name}\\.ts:\\d+: |no answer within|process ended`));
    const id = [...hostile].find(([reference]) => reference.startsWith(`${name}@`))?.[1];
    assert.ok(id);
    assert.deepEqual(await reasonsOf(id), []);
  }
});

test('the good profile buys and sells by its rules next to all of them', async () => {
  const before = (await reasonsOf(good)).length;
  await until(
    'another buy and another sale',
    async () => {
      const later = (await reasonsOf(good)).slice(before);
      return later.includes('rsi-low') && later.includes('rsi-recovered');
    },
    300_000,
  );
  assert.equal(await quarantineOf('good'), undefined);
});

async function reasonsOf(profile: ProfileId): Promise<(string | null)[]> {
  const { kysely } = stack.database;
  const orders = kysely.selectFrom('orders').select('reason').where('profile_id', '=', profile).orderBy('id');
  return (await orders.execute()).map(({ reason }) => reason);
}

async function quarantineOf(name: string): Promise<string | undefined> {
  const { versions } = await stack.call(listStrategyFiles, {});
  return versions.find((version) => version.name === name)?.quarantine ?? undefined;
}
