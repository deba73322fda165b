import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serveMetrics } from '#integrations/metrics.ts';
import { openDatabase } from '#storage/postgres/database.ts';
import { openQueue } from '#storage/jobs/queue.ts';
import { openTestDatabase } from '#test/harness/test-database.ts';
import { seedOwner } from '#test/harness/test-trading.ts';
import { measureAccounts, measureJobs, measurePositions, measureVenues } from '#worker/measures.ts';
import { openAccountBench, SYMBOL } from './account-bench.ts';
import { until } from './until.ts';

test('Prometheus reads of each coin: time without a stop, unproven orders and the age of its price', async () => {
  await using on = await openAccountBench();
  await using metrics = await serveMetrics({ process: 'worker', sha: 'abc' }, { host: '127.0.0.1', port: 0 });
  const read = async (): Promise<string[]> =>
    (await (await fetch(`http://127.0.0.1:${metrics.port}/metrics`)).text()).split('\n');
  const of = async (name: string): Promise<number | undefined> => {
    const row = (await read()).find((line) => line.startsWith(`${name}{`) && line.includes(`symbol="${SYMBOL}"`));
    return row === undefined ? undefined : Number(row.split(' ').at(-1));
  };
  {
    const { account } = on.running.context;
    const report = { downSinceMs: null, faults: 2 };
    const state = { label: '', status: null, cause: null, checkedAt: null };
    const toRun = { account, key: { ...state, accountId: account.id, apiKey: 'key', secret: 'secret' } };
    using _measures = measureAccounts(() => [{ toRun, running: on.running, newestRun: on.running, report }]);
    assert.ok((await read()).includes('tradewind_accounts_running 1'));
    assert.ok((await read()).includes(`tradewind_account_faults{account="${account.name}"} 2`));
    assert.ok((await read()).includes(`tradewind_account_down_seconds{account="${account.name}"} 0`));
    await until('a price has come', async () => (await of('tradewind_price_age_seconds')) !== undefined);
    assert.equal(await of('tradewind_unprotected_seconds'), 0);
    using _venues = measureVenues(() => [{ venue: 'paper', market: on.market, usedWeight: () => 7 }]);
    assert.ok((await read()).some((line) => /^tradewind_clock_offset_seconds\{.*\} -?[0-9.e-]+$/.test(line)));
    assert.ok((await read()).includes('tradewind_request_weight_used{venue="paper"} 7'));
    const match = { method: 'POST', path: '/api/v3/order' };
    await on.control('POST', '/faults', [{ match, kind: 'fail-before' }]);
    await assert.rejects(on.rest('0.9'));
    await until('the order counts as unproven', async () => (await of('tradewind_orders_unproven')) === 1);
    await on.running.coins.close();
    assert.equal(await of('tradewind_orders_unproven'), 1, 'a fault ends no position and no order');
  }
  assert.equal(await of('tradewind_unprotected_seconds'), undefined, 'nothing is told of what does not run any more');
});

test('Prometheus reads how a venue and the queue are; a database that is away takes only its own rows', async () => {
  await using test = await openTestDatabase();
  const log = { warn: () => undefined, error: () => undefined };
  await using queue = await openQueue(test.url, { log, works: false });
  await queue.enqueue('prune', {});
  await using metrics = await serveMetrics({ process: 'worker', sha: 'abc' }, { host: '127.0.0.1', port: 0 });
  const rows = async (name: string): Promise<string[]> =>
    (await (await fetch(`http://127.0.0.1:${metrics.port}/metrics`)).text())
      .split('\n')
      .filter((line) => line.startsWith(`${name}{`));
  const database = openDatabase(test.url);
  using _jobs = measureJobs(database);
  assert.deepEqual(await rows('tradewind_jobs_waiting'), ['tradewind_jobs_waiting{task="prune"} 1']);
  assert.deepEqual(await rows('tradewind_schedule_age_seconds'), [], 'nothing has run yet');
  using _positions = measurePositions(database);
  const owner = await seedOwner(test.database);
  const held = {
    profile_id: owner.profileId,
    symbol: 'GONEUSDT',
    quantity: '1.5',
    average_price: '10',
    strategy_state: '{}',
  };
  await test.database.kysely.insertInto('runner_states').values(held).execute();
  const unwatched = await rows('tradewind_unwatched_position');
  assert.deepEqual([unwatched.length, unwatched[0]?.endsWith('symbol="GONEUSDT"} 1.5')], [1, true]);
  await database[Symbol.asyncDispose]();
  assert.deepEqual(await rows('tradewind_jobs_waiting'), []);
  assert.equal((await rows('tradewind_build_info')).length, 1);
});
