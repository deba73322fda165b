import assert from 'node:assert/strict';
import { test } from 'node:test';
import { troublesOf } from './health.ts';

const api = { sha: '77ab0c4d9', bootedAt: '2026-11-20T10:00:00.000Z' };
const db = { latestMigrationAppliedAt: '2026-11-20T09:00:00.000Z' };

test('a healthy pair has nothing to say', () => {
  assert.deepEqual(troublesOf({ api, worker: api, db }, false), []);
  assert.deepEqual(troublesOf(undefined, false), []);
});

test('no worker means down or silent since its restart', () => {
  const [trouble] = troublesOf({ api, worker: null, db }, false);
  assert.equal(trouble?.tone, 'loss');
  assert.match(trouble?.detail ?? '', /down or has not written status since its last restart/);
});

test('another build and an older start both ask for a restart', () => {
  const worker = { sha: '3f9c2e1aa', bootedAt: '2026-11-20T08:00:00.000Z' };
  const troubles = troublesOf({ api, worker, db }, false);
  assert.deepEqual(
    troubles.map(({ title }) => title),
    ['Restart the worker:', 'Restart the worker:'],
  );
  assert.match(troubles[0]?.detail ?? '', /3f9c2e1, this page is 77ab0c4/);
});

test('a silent service is named before everything else', () => {
  assert.match(troublesOf({ api, worker: api, db }, true)[0]?.title ?? '', /does not answer/);
});
