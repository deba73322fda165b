import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { AccountId } from '#core/ids.ts';
import { newId } from '#core/ids.ts';
import { listDeadLetters } from './dead-letters.ts';
import { openQueue, type Queue, type QueueLog } from './queue.ts';
import { openTestDatabase, type TestDatabase } from '#test/harness/test-database.ts';
import { until } from '#test/harness/test-outage.ts';

const CANARY = 'canary-90ab';
const QUERY = 'update api_keys set secret = $1 where account_id = $2';
const silent: QueueLog = { warn: () => {}, error: () => {} };
const retry = { limit: 1, delaySeconds: 1, maxDelaySeconds: 1 };

let own: { test: TestDatabase; queue: Queue } | undefined;
const open = (): { test: TestDatabase; queue: Queue } => {
  assert.ok(own !== undefined, 'The queue is open while tests run.');
  return own;
};
before(async () => {
  const database = await openTestDatabase();
  own = { test: database, queue: await openQueue(database.url, { log: silent, retry }) };
});
after(async () => {
  await own?.queue[Symbol.asyncDispose]();
  await own?.test[Symbol.asyncDispose]();
});

const letters = () => listDeadLetters(open().test.database.kysely);
const rowsOf = async (sql: string): Promise<Record<string, unknown>[]> =>
  (await open().test.database.pool.query(sql)).rows;

test('a job runs; a failed one is retried; an exhausted one is a dead letter without bind values', async () => {
  const { queue } = open();
  const [good, bad]: [AccountId, AccountId] = [newId(), newId()];
  const seen: string[] = [];
  const looked = Promise.withResolvers<void>();
  await queue.work('verify-api-key', async ({ accountId }, { attempt }) => {
    seen.push(`${accountId}:${attempt}`);
    if (accountId === good) return;
    if (attempt === 2) await looked.promise;
    const driver = Object.assign(new Error(`duplicate\0key \ud800`), {
      severity: 'ERROR',
      code: '23505',
      detail: `Key (secret)=(${CANARY})`,
    });
    const failed = new Error(`Failed query: ${QUERY}\nparams: ${CANARY},1`, { cause: driver });
    throw Object.assign(new AggregateError([failed], 'The key could not be saved.'), {
      query: QUERY,
      params: [CANARY],
      cause: failed,
    });
  });
  await queue.enqueue('verify-api-key', { accountId: good });
  await queue.enqueue('verify-api-key', { accountId: bad });
  await until('the second attempt runs', () => seen.includes(`${bad}:2`));
  const between = JSON.stringify(await rowsOf('select * from pgboss.job'));
  assert.ok(!between.includes(CANARY), 'the output of an attempt that will be retried holds no bind value');
  assert.ok(between.includes('The key could not be saved.'), 'the words of the first attempt are kept');
  looked.resolve();
  await until('the job is dead', async () => (await letters()).length === 1);

  assert.deepEqual(seen.toSorted(), [`${good}:1`, `${bad}:1`, `${bad}:2`].toSorted());
  const [letter] = await letters();
  assert.partialDeepStrictEqual(letter, {
    job: 'verify-api-key',
    data: { accountId: bad },
    errorMessage: 'The key could not be saved.',
    attempts: 2,
  });
  assert.match(letter?.stack ?? '', /Caused by: Error: Failed query: .*\nparams: \[scrubbed\]\n +at /);
  const everything = JSON.stringify(await rowsOf('select * from pgboss.job'));
  assert.ok(everything.includes('The key could not be saved.') && !everything.includes(CANARY), everything);
});

test('a job enqueued in a transaction exists exactly if it commits', async () => {
  const { queue, test: database } = open();
  const waiting = async (): Promise<number> => (await rowsOf(`select 1 from pgboss.job where name = 'prune'`)).length;
  await assert.rejects(
    database.database.transaction(async (transaction) => {
      await queue.enqueueIn(transaction, { name: 'prune', data: {} });
      throw new Error('rolled back');
    }),
    /rolled back/,
  );
  assert.equal(await waiting(), 0);
  await database.database.transaction(async (transaction) => {
    assert.ok(await queue.enqueueIn(transaction, { name: 'prune', data: {} }));
    assert.equal(await waiting(), 0, 'the job is not visible before the commit');
  });
  assert.equal(await waiting(), 1);
});

test('a singleton key admits one waiting job; jobs without a key do not exclude each other', async () => {
  const { queue } = open();
  const startAfter = new Date(Date.now() + 3_600_000);
  assert.ok(await queue.enqueue('refresh-rules', {}, { singletonKey: 'all', startAfter }));
  assert.equal(await queue.enqueue('refresh-rules', {}, { singletonKey: 'all' }), undefined);
  assert.ok(await queue.enqueue('refresh-rules', {}, { startAfter }));
  assert.ok(await queue.enqueue('refresh-rules', {}, { startAfter }));
});

test('many jobs are enqueued at once, and only when the transaction commits', async () => {
  const { queue, test: opened } = open();
  const units = Array.from({ length: 5_000 }, (_, number) => ({ sweepId: newId<string>(), stage: 0, number }));
  const count = async () => rowsOf(`select count(*)::int as jobs from pgboss.job where name = 'run-sweep-unit'`);
  const { database } = opened;
  await assert.rejects(
    database.transaction(async (transaction) => {
      await queue.enqueueAllIn(transaction, 'run-sweep-unit', units);
      throw new Error('not committed');
    }),
    /not committed/,
  );
  assert.deepEqual(await count(), [{ jobs: 0 }]);
  await database.transaction((transaction) => queue.enqueueAllIn(transaction, 'run-sweep-unit', units));
  assert.deepEqual(await count(), [{ jobs: 5_000 }]);
});

test('a worker takes the next job once it has done one, although one notification announced them all', async () => {
  const { queue, test: opened } = open();
  const done: string[] = [];
  await queue.work('evaluate-dry-run', async ({ dryRunId }) => void done.push(dryRunId));
  const jobs = Array.from({ length: 30 }, () => ({ dryRunId: newId<string>() }));
  await opened.database.transaction((transaction) => queue.enqueueAllIn(transaction, 'evaluate-dry-run', jobs));
  await until('all of them to be done', () => done.length === jobs.length);
  assert.deepEqual(new Set(done), new Set(jobs.map(({ dryRunId }) => dryRunId)));
});

test('a schedule is kept once however often it is set', async () => {
  const { queue } = open();
  await queue.schedule('prune', '0 3 * * *', {});
  await queue.schedule('prune', '0 4 * * *', {});
  assert.deepEqual(await rowsOf('select name, cron, timezone from pgboss.schedule'), [
    { name: 'prune', cron: '0 4 * * *', timezone: 'UTC' },
  ]);
});

test('processes that start together share one queue', async () => {
  await using fresh = await openTestDatabase();
  const queues = await Promise.all(
    [true, false, true].map((works) => openQueue(fresh.url, { log: silent, works, retry })),
  );
  const done: string[] = [];
  await queues[0]?.work('prune', async (_data, { id }) => void done.push(id));
  const id = await queues[1]?.enqueue('prune', {});
  await until('the job is done', () => done.length === 1);
  assert.deepEqual(done, [id]);
  for (const queue of queues) await queue[Symbol.asyncDispose]();
});

test('lost connections are reported without ending the process, and jobs continue', async () => {
  const { queue, test: database } = open();
  const ran: string[] = [];
  await queue.work('prune', async (_data, { id }) => void ran.push(id));
  await database.database.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'tradewind-queue'`,
  );
  let id: string | undefined;
  await until('a job can be enqueued', async () => {
    id ??= await queue.enqueue('prune', {}).catch(() => undefined);
    return id !== undefined;
  });
  await until('the job runs', () => id !== undefined && ran.includes(id));
});

test('what fails every poll of every queue in the same words is reported once', async () => {
  await using database = await openTestDatabase();
  const lines: string[] = [];
  const log: QueueLog = { warn: () => {}, error: (_fields, line) => void lines.push(line) };
  await using queue = await openQueue(database.url, { log });
  for (const name of ['prune', 'backup', 'digest'] as const) await queue.work(name, async () => {});
  const name = new URL(database.url).pathname.slice(1);
  await rowsOf(`alter database ${name} allow_connections false`);
  await rowsOf(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
  const refused = `The job queue reports: database "${name}" is not currently accepting connections. It retries automatically.`;
  await until('a poll is refused', () => lines.includes(refused));
  // Long enough for each queue to be polled again.
  await delay(5_000);
  assert.deepEqual(lines, [...new Set(lines)]);
});

test('a database that is not there fails the opening with a sentence', async () => {
  const absent = new URL(open().test.url);
  absent.username = 'nobody';
  absent.password = 'secret-word';
  absent.pathname = '/tradewind_absent';
  await assert.rejects(openQueue(absent.href, { log: silent }), (error) => {
    return error instanceof Error && /refused/.test(error.message) && !error.message.includes('secret-word');
  });
});
