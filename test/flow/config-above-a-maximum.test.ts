import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { changeProfile, readProfile } from '#api/contract/profiles.ts';
import { newId } from '#core/ids.ts';
import { openTestDatabase } from '#test/harness/test-database.ts';
import { seedAccount, seedUser } from '#test/harness/test-trading.ts';
import { LIVELY, startProfile } from './profile.ts';
import { openStack } from './stack.ts';
import { until } from './until.ts';

const PAGE = new URL('../../docs/operator/config-above-a-maximum.md', import.meta.url);
const queries = (): string[] =>
  [...readFileSync(PAGE, 'utf8').matchAll(/```sql\n([\s\S]*?)```/g)].map(([, sql = '']) => sql);

/** Values that only a number above the maximum makes a finding, none of which may abort the query. */
const HARMLESS: readonly unknown[] = [
  { buy: { candleLimit: 999 } },
  { ema: { slow: 998 } },
  { buy: { candleLimit: 'abc' } },
  { buy: { candleLimit: '1500' }, ema: 'x' },
  { buy: { candleLimit: null }, ema: { slow: {} } },
  { buy: [] },
  'text',
  null,
];

test('the queries of the operator page list exactly the configs and overrides above a maximum', async () => {
  await using own = await openTestDatabase();
  const { pool } = own.database;
  const accountId = await seedAccount(own.database, await seedUser(own.database));
  const insert = async (name: string, config: unknown, override: unknown): Promise<void> => {
    const symbol = `${name.toUpperCase().replaceAll(' ', '')}USDT`;
    const values = [newId<string>(), accountId, name, JSON.stringify(config), JSON.stringify(override), symbol];
    await pool.query(
      `with made as (insert into profiles (id, account_id, name, strategy_name, config) values ($1, $2, $3, 'hold', $4) returning id)
       insert into profile_symbols (profile_id, symbol, override_config) select id, $6, $5 from made`,
      values,
    );
  };
  for (const [index, value] of HARMLESS.entries()) await insert(`fine ${index}`, value, value);
  await insert('candles', { buy: { candleLimit: 1000 } }, {});
  await insert('slow', { ema: { slow: 999 } }, {});
  await insert('override candles', {}, { buy: { candleLimit: 1000.5 } });
  await insert('override slow', {}, { ema: { slow: 5000 } });
  const found = [];
  for (const sql of queries()) found.push((await pool.query(sql)).rows.map(({ name }) => name));
  assert.deepEqual(found, [
    ['candles', 'slow'],
    ['override candles', 'override slow'],
  ]);
});

test('a stored config above a maximum keeps trading and is never rewritten; saving is refused until the field is legal', async () => {
  await using stack = await openStack({ source: { kind: 'synthetic' } });
  const { kysely } = stack.database;
  const id = await startProfile(stack, ['BTCUSDT']);
  const config = { ...LIVELY, buy: { ...LIVELY.buy, candleLimit: 1500 } };
  await stack.stopWorker();
  await kysely
    .updateTable('profiles')
    .set({ config: JSON.stringify(config) })
    .where('id', '=', id)
    .execute();
  const decisions = async (): Promise<number> => {
    const trace = await (await stack.fetch(`/profiles/${id}/tick-trace?limit=1000`)).json();
    return trace.entries.length;
  };
  const before = await decisions();
  await stack.startWorker();
  await until('ticks with the stored config', async () => (await decisions()) > before + 3);
  const params = { id };
  await assert.rejects(stack.call(changeProfile, { params, body: { config } }), /422.*config\.buy\.candleLimit/);
  assert.deepEqual((await stack.call(readProfile, { params })).config, config);
  const legal = { ...config, buy: { ...config.buy, candleLimit: 999 } };
  assert.deepEqual((await stack.call(changeProfile, { params, body: { config: legal } })).profile.config, legal);
});
