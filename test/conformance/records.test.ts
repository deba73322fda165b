import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readApiKey, saveApiKey } from '#api/contract/accounts.ts';
import * as profiles from '#api/contract/profiles.ts';
import { exportLogs, listActionLogs, listLogs } from '#api/contract/records.ts';
import { launchBacktest } from '#api/contract/research.ts';
import { openTestApi, type TestApi } from '#test/api/test-api.ts';
import { BTC, cachePrice, cacheRules, ETH } from '#test/api/test-records.ts';
import { GATE_UNAVAILABLE, NO_SELLABLE_POSITION, NOT_HELD_NOTE } from '#core/position/cost-basis.ts';
import { newId, type ProfileId } from '#core/ids.ts';
import { migrateDatabase } from '#storage/postgres/migrate.ts';
import { createRecordSink } from '#storage/history/records.ts';

let api: TestApi;
let askedOfExchange = 0;
before(async () => {
  api = await openTestApi({
    exchange(_request, response) {
      askedOfExchange += 1;
      response.writeHead(500).end();
    },
  });
  await api.signUp();
});
after(() => api[Symbol.asyncDispose]());

const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;

/** Record | field | type / rule, in the words of the specification; `!` is never NULL. */
const FIELDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  users: { timezone: 'text!' },
  accounts: { binance_mode: 'text!' },
  api_keys: { api_key: 'text!', secret: 'text!', status: 'text' },
  ai_provider_config: { credential: 'text' },
  profiles: { id: 'uuid!', name: 'text!', strategy_name: 'text!', config: 'jsonb!', enabled: 'boolean!' },
  profile_symbols: { profile_id: 'uuid!', symbol: 'text!', override_config: 'jsonb!' },
  action_logs: { level: 'text!', msg: 'text!', ctx: 'jsonb!' },
  audit_logs: { ip: 'text!' },
  cost_basis: { average_price: 'numeric', quantity: 'numeric' },
};

test('records have the fields of the specification under their names', async () => {
  const { rows } = await api.database.pool.query<Readonly<Record<'table' | 'name' | 'type' | 'nullable', string>>>(
    `select table_name as table, column_name as name, data_type as type, is_nullable as nullable
     from information_schema.columns where table_schema = 'public'`,
  );
  for (const [table, fields] of Object.entries(FIELDS)) {
    const found = rows.filter((row) => row.table === table);
    for (const [name, wanted] of Object.entries(fields)) {
      const one = found.find((row) => row.name === name);
      assert.equal(`${one?.type}${one?.nullable === 'NO' ? '!' : ''}`, wanted, `${table}.${name}`);
    }
  }
});

test('the database itself takes only live and testnet as the mode of an account', async () => {
  const { rows } = await api.database.pool.query('select id from users');
  const insert = (mode: string) =>
    api.database.pool.query('insert into accounts (id, user_id, name, binance_mode) values ($1, $2, $3, $3)', [
      ...[newId<string>(), rows[0]?.id, mode],
    ]);
  for (const mode of ['demo', 'LIVE', '', 'paper']) await assert.rejects(insert(mode), /binance_mode_check/);
  for (const mode of ['live', 'testnet']) await insert(mode);
  await api.database.pool.query(`delete from accounts where name in ('live', 'testnet')`);
});

test('the status of an API key is healthy or error, and null before the first check', async () => {
  const { account } = await api.addProfile('Checked');
  const params = { id: account.id };
  await api.call(saveApiKey, { params, body: { label: '', apiKey: 'k'.repeat(20), secret: 's'.repeat(20) } });
  const statusOf = async () => (await api.call(readApiKey, { params }))?.status;
  assert.equal(await statusOf(), null);
  const set = (text: string) =>
    api.database.pool.query('update api_keys set status = $1 where account_id = $2', [text, account.id]);
  for (const text of ['healthy', 'error']) {
    await set(text);
    assert.equal(await statusOf(), text);
  }
  await assert.rejects(set('unknown'), /api_keys_status_check/);
});

test('an override that is valid alone and breaks a rule of the merged config is refused', async () => {
  const { account } = await api.addProfile('Other');
  const config = { ema: { fast: 9, slow: 12 } };
  const body = { accountId: account.id, name: 'Cross', strategyName: 'momentum', config, symbols: ['BTCUSDT'] };
  const { profile } = await api.call(profiles.createProfile, { body });
  const params = { id: profile.id, symbol: 'BTCUSDT' };
  const overrideConfig = { ema: { fast: 15 } };
  assert.deepEqual(
    (await api.call(profiles.lintProfile, { params: { id: profile.id }, body: { config: overrideConfig } })).errors,
    [],
  );
  const problem = await api.refusal(profiles.changeCoin, { params, body: { overrideConfig } });
  assert.deepEqual([problem.status, problem.errors?.[0]?.path], [422, 'overrideConfig.ema.fast']);
  assert.deepEqual((await api.call(profiles.readCoin, { params })).coin.overrideConfig, {});
});

/** The stored profile and coins as text. */
async function storedOf(id: ProfileId): Promise<unknown[]> {
  const { rows } = await api.database.pool.query(
    `select config::text from profiles where id = $1
     union all (select override_config::text from profile_symbols where profile_id = $1 order by symbol)`,
    [id],
  );
  return rows.map(({ config }) => config);
}

const KNOBS = [
  ['trailing-trade', (value: number) => ({ buy: { candleLimit: value } }), 'buy.candleLimit', 999],
  ['momentum', (value: number) => ({ ema: { slow: value } }), 'ema.slow', 998],
] as const;
test('stored configs and overrides above a maximum stay to the byte, whatever else is changed, until both are repaired', async () => {
  for (const [strategyName, knob, path, maximum] of KNOBS) {
    const { account } = await api.addProfile(`${strategyName} holder`);
    const body = { accountId: account.id, name: strategyName, strategyName, symbols: ['BTCUSDT', 'ETHUSDT'] };
    const { id } = (await api.call(profiles.createProfile, { body })).profile;
    const { pool } = api.database;
    await pool.query('update profiles set config = $1 where id = $2', [JSON.stringify(knob(1500)), id]);
    const override = `update profile_symbols set override_config = $1 where profile_id = $2 and symbol = 'BTCUSDT'`;
    await pool.query(override, [JSON.stringify(knob(2000)), id]);
    const before_ = await storedOf(id);
    assert.deepEqual(
      before_.map((text) => JSON.parse(String(text))),
      [knob(1500), knob(2000), {}],
    );

    const params = { id };
    await api.call(profiles.enableProfile, { params });
    await api.call(profiles.disableProfile, { params });
    await migrateDatabase(api.databaseUrl);
    await api.call(profiles.bindCoin, { params, body: { symbol: 'BNBUSDT' } });
    await api.call(profiles.unbindCoin, { params: { id, symbol: 'BNBUSDT' } });
    const read = await api.call(profiles.readProfile, { params });
    assert.deepEqual([read.config, await storedOf(id)], [knob(1500), before_]);

    const coin = { id, symbol: 'BTCUSDT' };
    const save = await api.refusal(profiles.changeProfile, { params, body: { config: knob(1500) } });
    assert.deepEqual([save.status, save.errors?.[0]?.path], [422, `config.${path}`]);
    const kept = await api.refusal(profiles.changeCoin, { params: coin, body: { overrideConfig: knob(2000) } });
    assert.deepEqual([kept.status, kept.errors?.[0]?.path], [422, `overrideConfig.${path}`]);
    assert.deepEqual(await storedOf(id), before_);
    await api.call(profiles.changeProfile, { params, body: { config: knob(maximum) } });
    await api.call(profiles.changeCoin, { params: coin, body: { overrideConfig: knob(maximum - 1) } });
    assert.deepEqual(
      (await storedOf(id)).map((text) => JSON.parse(String(text))),
      [knob(maximum), knob(maximum - 1), {}],
    );
  }
});

test('the note has the words of the specification', () => {
  assert.equal(NOT_HELD_NOTE, 'Not held — nothing sellable backs this cost basis');
});

test('the worker log keys are those of the specification', () => {
  assert.deepEqual(
    [GATE_UNAVAILABLE, NO_SELLABLE_POSITION],
    ['pipeline_apply_avg_entry_price_gate_unavailable', 'pipeline_apply_avg_entry_price_no_sellable_position'],
  );
});

test('log rows come back whole and as they were written from all three log operations', async () => {
  const { id } = (await api.addProfile('Whole')).profile;
  const log = { warn: () => undefined, error: () => undefined };
  const msg = `apiKey=not-a-real-key&signature=0123abcd password=hunter2 ${'x'.repeat(60_000)} end`;
  const ctx = {
    payload: { code: -1013, secret: 'written as it is', 'x-mbx-apikey': 'k', deep: [[{ list: [1, null, 'ü\n'] }]] },
    long: Array.from({ length: 5_000 }, (_, index) => ({ index })),
  };
  const at = new Date('2026-01-01T00:00:00.000Z');
  {
    await using records = createRecordSink({ database: api.database, cache: api.cache, log });
    for (const level of LOG_LEVELS)
      records.log({
        ...{ id: newId(), profileId: id, symbol: 'BTCUSDT', level, msg: `${level} ${msg}`, ctx, count: 1 },
        ...{ firstAt: at, lastAt: at },
      });
  }
  const params = { id };
  const { rows } = await api.call(listLogs, { params, query: {} });
  assert.deepEqual(rows.map(({ level }) => level).toSorted(), [...LOG_LEVELS].toSorted());
  for (const row of rows) assert.deepEqual([row.msg, row.ctx], [`${row.level} ${msg}`, ctx]);
  const exported = (await api.send(exportLogs, { params })).text.split('\n').filter((line) => line !== '');
  assert.deepEqual(
    exported.map((line) => JSON.parse(line)),
    rows,
  );
  const feed = await api.call(listActionLogs, { params });
  assert.deepEqual(
    feed.rows,
    rows.filter(({ level }) => level === 'warn' || level === 'error'),
  );
});

test('sizing is verified from cached rules and prices, without a request to the exchange', async () => {
  await cacheRules(api, [BTC, ETH]);
  await cachePrice(api, 'BTCUSDT', '50000');
  askedOfExchange = 0;
  const budget = (amount: string) => ({ buy: { entrySizing: { amount } } });
  const { profile, warnings } = await api.addProfile('Sized', { symbols: ['BTCUSDT'], config: budget('50') });
  assert.deepEqual(warnings, []);
  const params = { id: profile.id };
  assert.equal((await api.refusal(profiles.changeProfile, { params, body: { config: budget('4') } })).status, 422);
  const bound = await api.call(profiles.bindCoin, { params, body: { symbol: 'ETHUSDT' } });
  assert.deepEqual(
    bound.warnings.map(({ reason }) => reason),
    ['price_not_cached'],
  );
  const window = { from: '2024-01-01T00:00:00.000Z', to: '2024-02-01T00:00:00.000Z' };
  const launched = await api.call(launchBacktest, { params, body: window });
  assert.deepEqual(
    launched.warnings.map(({ reason }) => reason),
    ['price_not_cached'],
  );
  const small = { ...window, overrideConfig: budget('4') };
  assert.equal((await api.refusal(launchBacktest, { params, body: small })).status, 422);
  assert.equal(askedOfExchange, 0);
});
