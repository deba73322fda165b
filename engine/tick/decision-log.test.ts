import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { TickAudit } from '#core/decision/audit.ts';
import { newId } from '#core/ids.ts';
import { isObject } from '#core/merge.ts';
import type { ActionLogRow } from '#core/ports/records.ts';
import { createDecisionLog } from './decision-log.ts';

const profileId = newId<TickAudit['profileId']>();
const reasons = {
  'entry-above-window-low': { sentence: 'Waiting: {price} is above {limit}.', thresholds: ['limit'] },
  'hold-below-arm': { sentence: 'Holding: {price} is below {arm}.', thresholds: ['arm'] },
};

const auditAt = (
  second: number,
  given: { reason: string; price: number; limit: string; sent?: boolean },
): TickAudit => ({
  id: newId<string>(),
  at: new Date(Date.UTC(2022, 5, 1) + second * 1000).toISOString(),
  profileId,
  symbol: 'BTCUSDT',
  trigger: 'price',
  input: {},
  decision: {
    kind: 'nothing',
    reason: given.reason,
    numbers: { price: String(given.price), limit: given.limit },
    sentence: '',
  },
  approval: { kind: 'not-needed' },
  results: given.sent === true ? [{ kind: 'not-sent', reason: 'x' }] : [],
  latencyMicros: 1,
  ticks: 1,
});

/** Keeps the last version of each row, as the table does, and all audits. */
function table() {
  const rows = new Map<string, ActionLogRow>();
  const published: TickAudit[] = [];
  const log = createDecisionLog(
    { write: (row) => rows.set(row.id, row), publish: (audit) => published.push(audit) },
    reasons,
  );
  const record = (audit: TickAudit, captured?: boolean): void => {
    const tick = { ...audit, atMs: Date.parse(audit.at), numbers: audit.decision.numbers };
    log.record(tick, (ticks) => ({ ...audit, ticks }), captured);
  };
  return { rows, published, record, flush: log.flush };
}

test('equal decisions share a row with first, lowest, highest and latest numbers', () => {
  const { rows, ...log } = table();
  for (const [second, price] of [10, 8, 12, 9].entries()) {
    log.record(auditAt(second, { reason: 'entry-above-window-low', price, limit: '7' }));
  }
  log.flush();
  const [row] = [...rows.values()];
  assert.equal(rows.size, 1);
  assert.equal(row?.count, 4);
  const ctx = JSON.parse(JSON.stringify(row?.ctx));
  assert.deepEqual([ctx.first.price, ctx.lowest.price, ctx.highest.price, ctx.numbers.price], ['10', '8', '12', '9']);
});

test('another threshold, another reason, an hour or a sent order starts a new row', () => {
  const { rows, ...log } = table();
  const base = { reason: 'entry-above-window-low', price: 10, limit: '7' };
  log.record(auditAt(0, base));
  log.record(auditAt(1, { ...base, limit: '6' }));
  log.record(auditAt(2, { ...base, reason: 'hold-below-arm' }));
  log.record(auditAt(3, { ...base, sent: true }));
  log.record(auditAt(4, { ...base, sent: true }));
  log.record(auditAt(5, base));
  log.record(auditAt(3606, base));
  log.flush();
  assert.equal(rows.size, 7);
});

test('the counts of all rows sum to the ticks', () => {
  const step = fc.record({
    reason: fc.constantFrom('entry-above-window-low', 'hold-below-arm'),
    price: fc.integer({ min: 1, max: 5 }),
    limit: fc.constantFrom('1', '2'),
    sent: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const { rows, published, ...log } = table();
      for (const [second, given] of steps.entries()) log.record(auditAt(second * 300, given));
      log.flush();
      const sum = [...rows.values()].reduce((total, row) => total + row.count, 0);
      assert.equal(sum, steps.length);
      assert.equal(
        published.reduce((total, { ticks }) => total + ticks, 0),
        steps.length,
      );
    }),
  );
});

test('a captured tick is a row of its own with its whole audit; before and after it rows are shared', () => {
  const { rows, ...log } = table();
  const audits = [0, 1, 2, 3, 4, 5].map((second) =>
    auditAt(second, { reason: 'entry-above-window-low', price: 10, limit: '7' }),
  );
  for (const [second, audit] of audits.entries()) log.record(audit, second === 2 || second === 3);
  log.flush();
  const all = [...rows.values()];
  assert.deepEqual(
    all.map(({ count }) => count),
    [2, 1, 1, 2],
  );
  const captured = all.flatMap(({ ctx }) => (isObject(ctx) && 'audit' in ctx ? [ctx['audit']] : []));
  assert.deepEqual(captured, audits.slice(2, 4), 'whole and unredacted');
});

test('a price that keeps crossing the entry under a kill switch is one warning, until a buy passes', () => {
  const { rows, record, flush } = table();
  const waiting = (second: number) => auditAt(second, { reason: 'entry-above-window-low', price: 10, limit: '7' });
  const wanting = (second: number, approval: TickAudit['approval']): TickAudit => ({
    ...waiting(second),
    decision: { kind: 'buy', reason: 'enter', numbers: {}, sentence: '' },
    approval,
  });
  const halted = { kind: 'refused', reason: 'halt-kill-switch', numbers: {} } as const;
  for (let second = 0; second < 20; second += 2) {
    record(wanting(second, halted));
    record(waiting(second + 1));
  }
  record(wanting(20, { kind: 'approved', quantity: '1', numbers: {} }));
  record(wanting(22, halted));
  record(waiting(23));
  flush();
  const levels = [...rows.values()].map(({ level }) => level);
  assert.equal(levels.filter((level) => level === 'warn').length, 2, levels.join(' '));
  assert.equal(levels.filter((level) => level === 'info').length, 10, levels.join(' '));
});
