import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newId, type ProfileId } from '#core/ids.ts';
import { openQueue, type Queue } from '#storage/jobs/queue.ts';

import { deleteDeadLetter, listDeadLetters, listJobs, readJob, retryDeadLetter } from '#api/contract/jobs.ts';
import { until } from '#test/flow/until.ts';
import { openTestApi, type TestApi } from '#test/api/test-api.ts';

const CANARY = 'canary-3d1f';
const QUERY = 'update runner_states set asked_price = $1';
const silent = { warn: () => {}, error: () => {} };

const resources = new AsyncDisposableStack();
let api: TestApi;
let worker: Queue;
let fails = true;
const ran: ProfileId[] = [];
before(async () => {
  api = resources.use(await openTestApi());
  await api.signUp();
  const url = api.database.pool.options.connectionString ?? '';
  worker = resources.use(
    await openQueue(url, { log: silent, retry: { limit: 0, delaySeconds: 1, maxDelaySeconds: 1 } }),
  );
  await worker.work('apply-avg-entry-price', async ({ profileId }) => {
    ran.push(profileId);
    if (!fails) return;
    const failed = new Error(`Failed query: ${QUERY}\nparams: ${CANARY}`);
    throw Object.assign(new Error('The price could not be applied.', { cause: failed }), {
      query: QUERY,
      params: [CANARY],
    });
  });
});
after(() => resources.disposeAsync());

const letters = async () => (await api.call(listDeadLetters, {})).deadLetters;
const auditOf = async (action: string) =>
  (await api.database.kysely.selectFrom('audit_logs').selectAll().where('action', '=', action).execute()).map(
    ({ subject, before: was }) => ({ subject, was }),
  );

/** A failed job as the operator sees it. */
async function die() {
  const profileId = newId<ProfileId>();
  await api.context.queue.enqueue('apply-avg-entry-price', { profileId, symbol: 'BTCUSDT' });
  const letter = await until('the job is dead', async () =>
    (await letters()).find(({ data }) => JSON.stringify(data).includes(profileId)),
  );
  return { profileId, letter };
}

test('a failed job is listed with its error and without bind values', async () => {
  const { profileId, letter } = await die();
  assert.partialDeepStrictEqual(letter, {
    job: 'apply-avg-entry-price',
    data: { profileId, symbol: 'BTCUSDT' },
    errorMessage: 'The price could not be applied.',
    attempts: 1,
  });
  assert.match(letter.stack ?? '', /Caused by: Error: Failed query: .*\nparams: \[scrubbed\]/);
  assert.ok(!JSON.stringify(letter).includes(CANARY));
});

test('trying it again makes it a job like any other, once, and is audited', async () => {
  const { profileId, letter } = await die();
  fails = false;
  const params = { id: letter.id };
  const answers = await Promise.all([1, 2].map(() => api.send(retryDeadLetter, { params })));
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [202, 404],
  );
  await until('the job runs again', () => ran.filter((id) => id === profileId).length === 2);
  fails = true;
  assert.ok(!(await letters()).some(({ id }) => id === letter.id));
  const was = { job: letter.job, data: letter.data, errorMessage: letter.errorMessage };
  assert.deepEqual(await auditOf('dead-letter.retry'), [{ subject: letter.id, was }]);
});

test('a job is followed by its id until it has ended, with the words of its failure', async () => {
  const ask = () =>
    api.context.queue.enqueue('apply-avg-entry-price', { profileId: newId<ProfileId>(), symbol: 'BTCUSDT' });
  const ended = (id: string | undefined) =>
    until('the job to end', async () => {
      const job = await api.call(readJob, { params: { id: id ?? '' } });
      return job.endedAt === null ? undefined : job;
    });
  const failed = await ended(await ask());
  assert.partialDeepStrictEqual(failed, {
    ...{ name: 'apply-avg-entry-price', state: 'failed', attempts: 1 },
    errorMessage: 'The price could not be applied.',
  });
  assert.ok(!JSON.stringify(failed).includes(CANARY));
  fails = false;
  assert.partialDeepStrictEqual(await ended(await ask()), { state: 'done', attempts: 1, errorMessage: null });
  fails = true;
  assert.equal((await api.refusal(readJob, { params: { id: newId() } })).code, 'not_found');
});

test('removing one is audited too; a letter that is gone is not found', async () => {
  const { letter } = await die();
  const params = { id: letter.id };
  await api.call(deleteDeadLetter, { params });
  assert.ok(!(await letters()).some(({ id }) => id === letter.id));
  assert.equal((await api.refusal(deleteDeadLetter, { params })).code, 'not_found');
  assert.equal((await api.refusal(retryDeadLetter, { params })).code, 'not_found');
  assert.deepEqual(
    (await auditOf('dead-letter.delete')).map(({ subject }) => subject),
    [letter.id],
  );
});

test('a job that this version does not know stays listed until it is removed', async () => {
  const { letter } = await die();
  await api.database.pool.query(`update pgboss.job set source_name = 'a-later-job' where id = $1`, [letter.id]);
  assert.equal((await api.refusal(retryDeadLetter, { params: { id: letter.id } })).code, 'conflict');
  assert.ok((await letters()).some(({ id }) => id === letter.id));
});

test('each schedule says how its last run ended and when the next one is due', async () => {
  await worker.schedule('apply-avg-entry-price', '17 3 * * *', { profileId: newId(), symbol: 'BTCUSDT' });
  await worker.schedule('prune', '*/15 * * * *', {});
  await die();
  const { jobs } = await api.call(listJobs, {});
  const [daily, quarterly] = jobs;
  assert.ok(daily?.lastRun !== null && daily?.lastRun !== undefined && daily.lastRun.durationMs >= 0);
  assert.partialDeepStrictEqual(daily, {
    ...{ name: 'apply-avg-entry-price', cron: '17 3 * * *' },
    lastRun: { outcome: 'failed', errorMessage: 'The price could not be applied.' },
  });
  assert.match(daily.nextAt ?? '', /T03:17:00/);
  assert.ok(Date.parse(daily.nextAt ?? '') > api.now().getTime());
  assert.partialDeepStrictEqual(quarterly, { name: 'prune', lastRun: null });
  assert.ok(Date.parse(quarterly?.nextAt ?? '') - api.now().getTime() <= 900_000);
  fails = false;
  await api.context.queue.enqueue('apply-avg-entry-price', { profileId: newId(), symbol: 'BTCUSDT' });
  await until('the last run is a good one', async () => {
    const [again] = (await api.call(listJobs, {})).jobs;
    return again?.lastRun?.outcome === 'done' && again.lastRun.errorMessage === null;
  });
  fails = true;
});
