import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EVENT_CHANNEL } from '#core/installation/cache-keys.ts';
import { newId } from '#core/ids.ts';
import { listDeadLetters } from '#storage/jobs/dead-letters.ts';
import { openCache } from '#storage/cache/open-cache.ts';
import { openQueue } from '#storage/jobs/queue.ts';
import { openTestDatabase } from '#test/harness/test-database.ts';
import { until } from '#test/flow/until.ts';
import { createAnnouncer } from './announcer.ts';
import { watchDeadLetters } from './dead-letters.ts';
import type { NotifyDeps } from './notify.ts';

const CANARY = 'canary-77e2';
const QUERY = 'select secret from api_keys where account_id = $1';

test('an exhausted job is published and notified once, with a scrubbed text, and stays listed', async () => {
  await using own = await openTestDatabase();
  await using cache = await openCache({ databaseUrl: own.url });
  const frames: unknown[] = [];
  await using _heard = await cache.subscribe(EVENT_CHANNEL, (text) => void frames.push(...JSON.parse(text)));
  await using announcer = createAnnouncer({
    ...{ cache, isWatched: () => false },
    onFailure: () => assert.fail('The frame could not be published.'),
  });
  const lines: unknown[] = [];
  const write = (...line: unknown[]): void => void lines.push(line);
  const log = { info: write, warn: write, error: write };
  const notices: unknown[] = [];
  let refusals = 1;
  const enqueue: NotifyDeps['queue']['enqueue'] = async (_name, data) => {
    if (refusals-- > 0) throw new Error('The messenger is away.');
    notices.push(data);
  };
  const notifyDeps = { liveDemo: false, queue: { enqueue }, log };
  const retry = { limit: 0, delaySeconds: 1, maxDelaySeconds: 1 };
  await using first = await openQueue(own.url, { log, retry });
  await using second = await openQueue(own.url, { log, retry });
  for (const queue of [first, second])
    await watchDeadLetters({ announcer, database: own.database, log, notifyDeps }, queue);
  await first.work('verify-api-key', async () => {
    const failed = Object.assign(new Error(`Failed query: ${QUERY}\nparams: ${CANARY}`), {
      query: QUERY,
      params: [CANARY],
    });
    throw new Error(failed.message, { cause: failed });
  });
  await first.enqueue('verify-api-key', { accountId: newId() });
  await until('the operator is notified', () => notices.length === 1);
  const letterStates = async (): Promise<string[]> =>
    (await own.database.pool.query(`select state from pgboss.job where name = 'dead-letters'`)).rows.map(
      ({ state }) => state,
    );
  await until('the notification has ended', async () => (await letterStates()).join() === 'completed');

  const [letter] = await listDeadLetters(own.database.kysely);
  assert.equal(letter?.errorMessage, `Failed query: ${QUERY}\nparams: [scrubbed]`);
  assert.deepEqual(frames.at(-1), {
    topic: 'dead-letter',
    id: letter.id,
    data: { job: 'verify-api-key', errorMessage: letter.errorMessage },
  });
  assert.match(JSON.stringify(notices[0]), /"text":"Failed query: .*\\nparams: \[scrubbed\] Open Failed jobs/);
  assert.ok(!JSON.stringify([letter, frames, lines, notices]).includes(CANARY));

  await first.work('notify-send', () => Promise.reject(new Error('The messenger is gone.')));
  const notification = { event: 'job-failed', title: '', text: '', at: new Date().toISOString() } as const;
  await first.enqueue('notify-send', { profileId: newId(), provider: 'ntfy', notification });
  await until('the frame', () => JSON.stringify(frames.at(-1)).includes('messenger is gone'));
  await until('the notification has ended', async () => (await letterStates()).join() === 'completed,completed');
  assert.equal(notices.length, 1, 'a message that could not be sent causes no message');
});
