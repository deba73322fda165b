import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { newId, type ProfileId } from '#core/ids.ts';
import { pauseCoin } from '#api/contract/risk.ts';
import { readWhy } from '#api/contract/why.ts';
import { openTestApi, type TestApi } from '#test/api/test-api.ts';

let api: TestApi;
let profileId: ProfileId;
before(async () => {
  api = await openTestApi();
  await api.signUp();
  profileId = (await api.addProfile('Asked', { symbols: ['SOLUSDT', 'BTCUSDT'] })).profile.id;
});
after(() => api[Symbol.asyncDispose]());

const START = Date.UTC(2026, 5, 1);
const MINUTE = 60_000;

interface Row {
  readonly id: string;
  readonly reason: string;
  readonly refused: boolean;
  readonly count: number;
  readonly away: number | null;
  readonly firstMs: number;
  readonly lastMs: number;
}

const ctxOf = ({ reason, refused, away }: Row) => ({
  event: 'decision',
  reason: refused ? 'entry-first' : reason,
  approval: refused ? { kind: 'refused', reason, numbers: {} } : { kind: 'not-needed' },
  numbers: { price: '1', away: away === null ? null : '9.00 %' },
  lowest: { price: '1', away: away === null ? null : `${away.toFixed(2)} %` },
});

/** As the worker writes a row: first when it starts, again after its last repeat. */
async function write(rows: readonly Row[], symbol = 'SOLUSDT'): Promise<void> {
  for (const row of rows) {
    const values = { id: row.id, profile_id: profileId, symbol, level: 'debug', msg: `Row ${row.id}` } as const;
    const ctx = JSON.stringify(ctxOf(row));
    await api.database.kysely
      .insertInto('action_logs')
      .values({ ...values, ctx, count: 1, first_at: new Date(row.firstMs), last_at: new Date(row.firstMs) })
      .execute();
    await api.database.kysely
      .updateTable('action_logs')
      .set({ ctx, count: row.count, last_at: new Date(row.lastMs) })
      .where('id', '=', row.id)
      .execute();
  }
}

const ask = async (fromMs: number, toMs: number, symbol = 'SOLUSDT') => {
  // Each question counts for a minute.
  api.advance(MINUTE);
  await api.database.pool.query('truncate cache_hits');
  const query = { symbol, from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() };
  return api.call(readWhy, { params: { id: profileId }, query });
};

test('a coin without a decision has no reasons, and nothing is covered', async () => {
  const answer = await ask(START, START + 60 * MINUTE, 'BTCUSDT');
  assert.deepEqual([answer.decisions, answer.reasons, answer.nearest], [0, [], null]);
  assert.deepEqual(answer.covered, { from: null, to: null, share: 0 });
  assert.equal(answer.timeline.length, 24);
});

test('a span that ends before it starts, or of more than 92 days, is refused', async () => {
  for (const days of [-1, 93]) {
    const query = { symbol: 'SOLUSDT', from: new Date(START).toISOString() };
    const to = new Date(START + days * 24 * 60 * MINUTE).toISOString();
    const refusal = await api.refusal(readWhy, { params: { id: profileId }, query: { ...query, to } });
    assert.equal(refusal.code, 'validation_failed');
  }
});

test('the nearest miss has the row, its numbers and its distance', async () => {
  const symbol = 'BTCUSDT';
  const near: Row = {
    ...{ id: newId<string>(), reason: 'entry-above-window-low', refused: false, count: 4, away: 0.35 },
    ...{ firstMs: START, lastMs: START + MINUTE },
  };
  const far: Row = { ...near, id: newId<string>(), away: 2, firstMs: START + 2 * MINUTE, lastMs: START + 3 * MINUTE };
  await write([near, far], symbol);
  const { nearest, reasons } = await ask(START, START + 60 * MINUTE, symbol);
  assert.deepEqual([nearest?.awayPercent, nearest?.rowId, nearest?.numbers['away']], [0.35, near.id, '0.35 %']);
  assert.deepEqual([reasons[0]?.rowId, reasons[0]?.sentence], [far.id, `Row ${far.id}`]);
});

test('changes of the coin and its profile are listed', async () => {
  await api.call(pauseCoin, { params: { id: profileId, symbol: 'SOLUSDT' }, body: { until: '2027-01-01T00:00:00Z' } });
  const { rows } = await api.database.pool.query<{ at: Date }>('select max(at) as at from audit_logs');
  const at = rows[0]?.at.getTime() ?? 0;
  const { changes } = await ask(at - MINUTE, at + MINUTE);
  assert.equal(changes[0]?.action, 'coin.pause');
  assert.equal(changes[0].subject, `${profileId}:SOLUSDT`);
});

/** Reads every row and adds up, second by second where needed. */
function recount(rows: readonly Row[], fromMs: number, toMs: number) {
  const sums = new Map<string, { decisions: number; ms: number }>();
  const parts = Array.from({ length: 24 }, () => new Map<string, number>());
  const sorted = rows.toSorted((a, b) => a.firstMs - b.firstMs || (a.id < b.id ? -1 : 1));
  const width = (toMs - fromMs) / 24;
  for (const [i, row] of sorted.entries()) {
    if (row.firstMs > toMs) continue;
    const following = sorted[i + 1]?.firstMs ?? Number.POSITIVE_INFINITY;
    const begin = Math.max(row.firstMs, fromMs);
    const end = Math.min(following, row.lastMs + 10 * MINUTE, toMs);
    const decisions = row.lastMs >= fromMs ? row.count : 0;
    if (decisions === 0 && end <= fromMs) continue;
    const key = `${row.refused ? 'engine' : 'strategy'} ${row.reason}`;
    const sum = sums.get(key) ?? { decisions: 0, ms: 0 };
    sums.set(key, { decisions: sum.decisions + decisions, ms: sum.ms + Math.max(0, end - begin) });
    for (const [part, own] of parts.entries()) {
      const inside = Math.min(end, fromMs + (part + 1) * width) - Math.max(begin, fromMs + part * width);
      if (inside > 0) own.set(key, (own.get(key) ?? 0) + inside);
    }
  }
  return { sums, parts };
}

const randomRows = fc.array(
  fc.record({
    reason: fc.constantFrom('entry-above-window-low', 'entry-disabled', 'hold-above-stop', 'halt-kill-switch'),
    count: fc.integer({ min: 1, max: 500 }),
    away: fc.option(fc.integer({ min: 0, max: 900 }).map((basis) => basis / 100)),
    pauseMs: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 40 * MINUTE })),
    lengthMs: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 60 * MINUTE - 1 })),
  }),
  { minLength: 1, maxLength: 40 },
);

test('reasons, counts, times and the timeline equal a slow recount on random rows', async () => {
  await fc.assert(
    fc.asyncProperty(
      randomRows,
      fc.integer({ min: -60, max: 600 }),
      fc.integer({ min: 1, max: 900 }),
      async (steps, offset, length) => {
        await api.database.pool.query(`delete from action_logs where symbol = 'SOLUSDT'`);
        let ms = START;
        const rows = steps.map(({ pauseMs, lengthMs, ...step }): Row => {
          const firstMs = ms + pauseMs;
          ms = firstMs + lengthMs;
          return { ...step, id: newId<string>(), refused: step.reason.startsWith('halt'), firstMs, lastMs: ms };
        });
        await write(rows);
        const [fromMs, toMs] = [START + offset * MINUTE, START + (offset + length) * MINUTE];
        const { sums, parts } = recount(rows, fromMs, toMs);
        const answer = await ask(fromMs, toMs);
        assert.equal(answer.reasons.length, sums.size);
        for (const { code, by, decisions, seconds } of answer.reasons) {
          const expected = sums.get(`${by} ${code}`);
          assert.equal(decisions, expected?.decisions);
          assert.ok(Math.abs(seconds - (expected?.ms ?? 0) / 1000) < 0.001, `${seconds} and ${expected?.ms}`);
        }
        for (const [part, { code, by, share }] of answer.timeline.entries()) {
          const longest = Math.max(0, ...(parts[part]?.values() ?? []));
          assert.ok(Math.abs(share - longest / ((toMs - fromMs) / 24)) < 1e-4);
          if (code !== null && longest > 0) assert.ok(Math.abs((parts[part]?.get(`${by} ${code}`) ?? 0) - longest) < 1);
        }
        const seen = rows.filter(({ firstMs, lastMs }) => firstMs <= toMs && lastMs >= fromMs);
        const near = seen.flatMap(({ away, reason }) => (away === null || !reason.startsWith('entry') ? [] : [away]));
        // A refused buy has a distance too: its own reason is an entry.
        const refused = seen.flatMap(({ away, refused: isRefused }) => (isRefused && away !== null ? [away] : []));
        const least = Math.min(...near, ...refused);
        assert.equal(answer.nearest?.awayPercent ?? Number.POSITIVE_INFINITY, least);
      },
    ),
    { numRuns: 40 },
  );
});
