import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { TickAudit } from '#core/decision/audit.ts';
import { cacheKeys } from '#core/installation/cache-keys.ts';
import { newId, type ProfileId } from '#core/ids.ts';
import type { CacheStore } from '#core/ports/cache.ts';
import type { ActionLogRow } from '#core/ports/records.ts';
import { openDatabase } from '#storage/postgres/database.ts';
import { openCache } from '#storage/cache/open-cache.ts';
import { createRecordSink, type RecordLog, type RecordSinkOptions } from './records.ts';
import { openTestDatabase, type TestDatabase } from '#test/harness/test-database.ts';
import { openRelay, until } from '#test/harness/test-outage.ts';

const NEVER_MS = 3_600_000;
const profileId: ProfileId = newId();

let own: { test: TestDatabase; cache: CacheStore } | undefined;
const stores = (): { test: TestDatabase; cache: CacheStore } => {
  assert.ok(own !== undefined, 'The stores are open while tests run.');
  return own;
};
before(async () => {
  const database = await openTestDatabase();
  own = { test: database, cache: await openCache({ databaseUrl: database.url }) };
  const [user, account] = [newId(), newId()];
  const { pool } = database.database;
  await pool.query(`insert into users (id, email, password_hash) values ($1, 'a@example.org', '')`, [user]);
  await pool.query(`insert into accounts (id, user_id, name, binance_mode) values ($1, $2, 'paper', 'testnet')`, [
    account,
    user,
  ]);
  await pool.query(
    `insert into profiles (id, account_id, name, strategy_name, config) values ($1, $2, 'p', 'hold', '{}')`,
    [profileId, account],
  );
});
after(async () => {
  await own?.cache[Symbol.asyncDispose]();
  await own?.test[Symbol.asyncDispose]();
});

interface Line {
  readonly fields: object;
  readonly message: string;
}
function recordingLog(): RecordLog & { readonly lines: Line[] } {
  const lines: Line[] = [];
  const add = (fields: object, message: string): void => void lines.push({ fields, message });
  return { lines, warn: add, error: add };
}

const settings = (more: Partial<RecordSinkOptions> = {}): RecordSinkOptions => {
  const { test: database, cache } = stores();
  return {
    database: database.database,
    cache,
    log: recordingLog(),
    flushMs: () => NEVER_MS,
    urgentMs: NEVER_MS,
    ...more,
  };
};

const row = (more: Partial<ActionLogRow> = {}): ActionLogRow => ({
  id: newId(),
  profileId,
  symbol: 'BTCUSDT',
  level: 'debug',
  msg: 'Doing nothing.',
  ctx: { numbers: { price: '1.5' } },
  count: 1,
  firstAt: new Date('2026-01-01T00:00:00.123Z'),
  lastAt: new Date('2026-01-01T00:00:01Z'),
  ...more,
});

const audit = (more: Partial<TickAudit> = {}): TickAudit => ({
  id: newId(),
  at: '2026-01-01T00:00:00.000Z',
  profileId,
  symbol: 'BTCUSDT',
  trigger: 'price',
  input: { price: '1.5' },
  decision: { kind: 'nothing', reason: 'waiting', numbers: {}, sentence: 'Waiting – “ok”.' },
  approval: { kind: 'not-needed' },
  results: [],
  ticks: 1,
  latencyMicros: 12,
  ...more,
});

const stored = async (id: string): Promise<Record<string, unknown> | undefined> =>
  (await stores().test.database.pool.query('select * from action_logs where id = $1', [id])).rows[0];
const trace = async (traced: ProfileId): Promise<unknown[]> =>
  (await stores().cache.newest(cacheKeys.tickTrace(traced), 10_000)).map((text) => JSON.parse(text));

test('records are written automatically after a while', async () => {
  await using sink = createRecordSink(settings({ flushMs: () => 5 }));
  const [line, traced] = [row(), newId<ProfileId>()];
  sink.audit(audit({ profileId: traced }));
  sink.log(line);
  await until(
    'the records are written',
    async () => (await stored(line.id)) !== undefined && (await trace(traced)).length === 1,
  );
});

test('flush writes everything buffered so far: audits verbatim and in order, rows whole', async () => {
  await using sink = createRecordSink(settings({ maxRows: 7 }));
  const traced: ProfileId = newId();
  const audits = Array.from({ length: 40 }, (_, i) => audit({ profileId: traced, latencyMicros: i }));
  const rows = Array.from({ length: 40 }, (_, i) =>
    row({ msg: `Row ${i} – "quoted"`, ctx: { at: i, nul: 'a\0b', list: [1] } }),
  );
  for (const record of audits) sink.audit(record);
  for (const record of rows) sink.log(record);
  await sink.flush();
  assert.deepEqual(await trace(traced), audits.toReversed());
  const last = rows[39] ?? row();
  assert.partialDeepStrictEqual(await stored(last.id), {
    profile_id: profileId,
    symbol: 'BTCUSDT',
    level: 'debug',
    msg: last.msg,
    ctx: { at: 39, nul: 'a\ufffdb', list: [1] },
    count: '1',
    first_at: last.firstAt,
    last_at: last.lastAt,
  });
  for (const { id } of rows) assert.ok(await stored(id));
});

test('a later version of a row replaces an earlier one, within a batch and after it; first_at stays', async () => {
  await using sink = createRecordSink(settings());
  const first = row();
  sink.log(first);
  sink.log({ ...first, count: 2, msg: 'Second.' });
  await sink.flush();
  assert.partialDeepStrictEqual(await stored(first.id), { count: '2', msg: 'Second.' });
  sink.log({
    ...first,
    count: 3,
    level: 'warn',
    ctx: { a: 1 },
    lastAt: new Date('2026-02-01T00:00:00Z'),
    firstAt: new Date(0),
  });
  await sink.flush();
  assert.partialDeepStrictEqual(await stored(first.id), {
    count: '3',
    level: 'warn',
    ctx: { a: 1 },
    first_at: first.firstAt,
    last_at: new Date('2026-02-01T00:00:00Z'),
  });
  sink.log(first);
  await sink.flush();
  assert.partialDeepStrictEqual(await stored(first.id), { count: '3' }, 'an older version does not come back');
});

test('rows that cannot be stored do not hold up others', async () => {
  const log = recordingLog();
  await using sink = createRecordSink(settings({ log }));
  const [good, gone, broken] = [row(), row({ profileId: newId() }), row({ count: 1e300 })];
  for (const record of [gone, broken, good]) sink.log(record);
  await sink.flush();
  assert.deepEqual([await stored(gone.id), await stored(broken.id)], [undefined, undefined]);
  assert.ok(await stored(good.id));
  assert.partialDeepStrictEqual(log.lines, [{ fields: { event: 'record_refused', id: broken.id } }]);
});

test('while the stores are away the oldest go, warnings stay, and what is left is written when they are back', async () => {
  const log = recordingLog();
  await using relay = await openRelay(new URL(stores().test.url));
  await using database = openDatabase(relay.url);
  await using cache = await openCache({ databaseUrl: relay.url });
  await using sink = createRecordSink(settings({ database, cache, log, maxBuffered: 10 }));
  await relay.cut();
  const traced: ProfileId = newId();
  const audits = Array.from({ length: 15 }, (_, i) => audit({ profileId: traced, latencyMicros: i }));
  for (const record of audits.slice(0, 8)) sink.audit(record);
  const important = Array.from({ length: 12 }, () => row({ level: 'error' }));
  const idle = Array.from({ length: 12 }, () => row());
  const grown = idle[11] ?? row();
  for (const record of [...idle, ...important, { ...grown, level: 'warn' as const, count: 2 }]) sink.log(record);
  await assert.rejects(sink.flush());
  for (const record of audits.slice(8)) sink.audit(record);
  await assert.rejects(sink.flush());
  await relay.restore();
  await until('the stores take the records', () =>
    sink.flush().then(
      () => true,
      () => false,
    ),
  );

  assert.deepEqual(await trace(traced), audits.slice(5).toReversed());
  for (const { id } of important) assert.ok(await stored(id));
  const kept = await Promise.all(idle.map(({ id }) => stored(id)));
  assert.deepEqual(
    kept.filter((record) => record !== undefined).map((record) => record['id']),
    [grown.id],
  );
  const counts = log.lines.map(({ fields }) => ('count' in fields ? fields.count : 0));
  assert.deepEqual(counts, [12, 5], 'what was dropped is counted');
});

test('a stop that cannot write says how much is lost', async () => {
  const log = recordingLog();
  await using relay = await openRelay(new URL(stores().test.url));
  await using database = openDatabase(relay.url);
  {
    await using sink = createRecordSink(settings({ database, log }));
    sink.log(row());
    await relay.cut();
  }
  assert.partialDeepStrictEqual(log.lines, [{ fields: { event: 'records_lost', rows: 1 } }]);
});

test('a record that comes after the stop neither waits for a store nor keeps the process', async () => {
  const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const sink = createRecordSink(settings());
  await sink[Symbol.asyncDispose]();
  const before = timers();
  sink.audit(audit({ profileId }));
  sink.log(row());
  assert.equal(timers(), before);
});
