import assert from 'node:assert/strict';
import test, { mock } from 'node:test';
import { createRateLimiter, createOrderBudget, type RequestPriority, type OrderBudget, type Usage } from './limits.ts';

/** Ten seconds into a minute. */
const START_MS = 10_000;
const told = (usedWeight: number | undefined, rest: Partial<Usage> = {}): Usage => ({
  status: 200,
  code: null,
  usedWeight,
  retryAfterMs: undefined,
  ...rest,
});

function limiter() {
  mock.timers.enable({ apis: ['setTimeout'] });
  let now = START_MS;
  const made = createRateLimiter(() => now);
  const granted: string[] = [];
  const ask = async (priority: RequestPriority, weight: number, waitMs = 120_000, orders?: OrderBudget) => {
    const reservation = await made.acquire({ priority, weight, waitMs, orders });
    granted.push(`${priority}:${reservation !== undefined}`);
    return reservation;
  };
  const pass = async (ms: number) => {
    now += ms;
    mock.timers.tick(ms);
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  };
  const limit = (weight: number) =>
    made.setLimits({ weight: { windowMs: 60_000, limit: weight }, requests: undefined, orders: [] });
  return { made, granted, ask, pass, limit, now: () => now };
}

test.afterEach(() => mock.timers.reset());

test('later lanes stop before earlier ones do', async () => {
  const { granted, ask, pass, limit } = limiter();
  limit(100);
  await ask('history', 50);
  void ask('history', 1);
  void ask('entry', 31);
  void ask('query', 41);
  void ask('query', 40);
  void ask('exit', 8);
  await pass(0);
  assert.deepEqual(granted, ['history:true', 'query:true', 'exit:true']);
});

test('a waiting request goes in the next minute, earlier lanes first', async () => {
  const { granted, ask, pass, limit } = limiter();
  limit(100);
  (await ask('exit', 100))?.settle(told(100));
  void ask('history', 10);
  void ask('exit', 10);
  await pass(49_999);
  assert.deepEqual(granted, ['exit:true']);
  await pass(1);
  assert.deepEqual(granted, ['exit:true', 'exit:true', 'history:true']);
});

test('a request that cannot go in time is told at once or at its deadline', async () => {
  const { granted, ask, pass, limit } = limiter();
  limit(100);
  const first = await ask('exit', 100);
  void ask('entry', 1, 2_000);
  await pass(1_999);
  assert.deepEqual(granted, ['exit:true']);
  await pass(1);
  assert.deepEqual(granted, ['exit:true', 'entry:false']);
  first?.settle(told(undefined, { status: 429, code: -1003, retryAfterMs: 30_000 }));
  await ask('exit', 1, 20_000);
  assert.deepEqual(granted, ['exit:true', 'entry:false', 'exit:false']);
});

test('Retry-After stops everything until its end', async () => {
  const { granted, ask, pass } = limiter();
  (await ask('query', 1))?.settle(told(undefined, { status: 418, code: -1003 }));
  void ask('exit', 1, 200_000);
  await pass(119_999);
  assert.deepEqual(granted, ['query:true']);
  await pass(1);
  assert.deepEqual(granted, ['query:true', 'exit:true']);
});

test('too many orders stops new orders of that account, but no cancels and no other account', async () => {
  const { granted, ask, pass } = limiter();
  const [busy, other] = [createOrderBudget(), createOrderBudget()];
  (await ask('entry', 1, 1_000, busy))?.settle(told(7, { status: 429, code: -1015, retryAfterMs: 5_000 }));
  void ask('entry', 1, 60_000, busy);
  await ask('exit', 1);
  await ask('entry', 1, 0, other);
  assert.deepEqual(granted, ['entry:true', 'exit:true', 'entry:true']);
  await pass(5_000);
  assert.equal(granted.length, 4);
});

test('orders count in each window of their account; entries leave room for exits', async () => {
  const { made, granted, ask, pass } = limiter();
  made.setLimits({
    weight: undefined,
    requests: undefined,
    orders: [
      { windowMs: 10_000, limit: 10 },
      { windowMs: 86_400_000, limit: 1_000 },
    ],
  });
  const orders = createOrderBudget();
  const counted = (tenSeconds: number) => told(1, { orderCounts: new Map([[10_000, tenSeconds]]) });
  (await ask('entry', 1, 0, orders))?.settle(counted(8));
  void ask('entry', 1, 1_000, orders);
  (await ask('exit', 1, 0, orders))?.settle(counted(9));
  await pass(1_000);
  assert.deepEqual(granted, ['entry:true', 'exit:true', 'entry:false']);
  // A refused order did not count, whatever was assumed while it was in flight.
  (await ask('exit', 1, 0, createOrderBudget()))?.settle(told(1, { status: 400, code: -2010 }));
  void ask('entry', 1, 20_000, orders);
  await pass(9_000);
  assert.equal(granted.at(-1), 'entry:true');
});

test('the header is the truth, and weight in flight comes on top', async () => {
  const { granted, ask, pass, limit } = limiter();
  limit(100);
  const first = await ask('query', 20);
  await ask('query', 20);
  // Another process has used 60.
  first?.settle(told(80));
  void ask('query', 5, 1_000);
  await pass(1_000);
  assert.deepEqual(granted, ['query:true', 'query:true', 'query:false']);
});

test('an early reply that comes late does not lower the count, and the count of an old minute does not spoil a new one', async () => {
  const { granted, ask, pass, limit } = limiter();
  limit(100);
  const [early, late] = [await ask('query', 1), await ask('query', 1)];
  late?.settle(told(89));
  early?.settle(told(2));
  await ask('query', 5, 0);
  assert.equal(granted.at(-1), 'query:false');
  const slow = await ask('exit', 1);
  await pass(50_000);
  slow?.settle(told(90));
  await ask('query', 50, 0);
  assert.equal(granted.at(-1), 'query:true');
});

test('a request taken back costs nothing', async () => {
  const { granted, ask, limit } = limiter();
  limit(100);
  (await ask('entry', 80))?.release();
  await ask('entry', 80);
  assert.deepEqual(granted, ['entry:true', 'entry:true']);
});

test('the minute is that of the exchange, also when its clock is set back', async () => {
  const { made, granted, ask, limit, now } = limiter();
  let offMs = 3_600_000;
  made.followClock(() => now() + offMs);
  limit(100);
  (await ask('exit', 98))?.settle(told(98));
  offMs = -50_000;
  await ask('query', 50, 0);
  assert.deepEqual(granted, ['exit:true', 'query:true']);
});

test('what another process has in flight, has been told and must wait for holds here too', async () => {
  const { made, granted, ask, pass, limit, now } = limiter();
  limit(100);
  made.merge('other', { window: Math.floor(now() / 60_000), counted: 40, inFlight: 45, stopMs: 0, blockedMs: 0 });
  await ask('query', 6, 0);
  await ask('query', 5, 0);
  assert.deepEqual(granted, ['query:false', 'query:true']);
  made.merge('other', { window: 0, counted: 40, inFlight: 0, stopMs: now() + 70_000, blockedMs: 0 });
  await ask('exit', 1, 60_000);
  void ask('exit', 1, 80_000);
  await pass(70_000);
  assert.deepEqual(granted.slice(2), ['exit:false', 'exit:true']);
  made.merge('other', { window: 0, counted: 40, inFlight: 0, stopMs: 0, blockedMs: now() + 60_000 });
  await ask('query', 1, 0);
  await ask('exit', 1, 0);
  assert.deepEqual(granted.slice(4), ['query:false', 'exit:true']);
});

test('nothing is granted before what earlier processes left behind is loaded', async () => {
  const { made, granted, ask, pass, now } = limiter();
  const loading = Promise.withResolvers<void>();
  made.waitFor(loading.promise);
  void ask('exit', 1, 1_000);
  await pass(0);
  assert.deepEqual(granted, []);
  made.merge('earlier', { window: 0, counted: 0, inFlight: 0, stopMs: now() + 60_000, blockedMs: 0 });
  loading.resolve();
  await pass(0);
  assert.deepEqual(granted, ['exit:false']);
});

test('after a page of the firewall only exits go, for a minute, then two; a success ends the count', async () => {
  const { granted, ask, pass } = limiter();
  const settleOne = async (status: number): Promise<void> =>
    (await ask('exit', 1, 0))?.settle(told(undefined, { status, code: null }));
  for (const { status, minutes } of [
    { status: 403, minutes: 1 },
    { status: 403, minutes: 2 },
    { status: 200, minutes: 0 },
    { status: 403, minutes: 1 },
  ]) {
    granted.length = 0;
    await settleOne(status);
    if (minutes > 0) await pass(minutes * 60_000 - 1);
    await ask('query', 1, 0);
    await pass(1);
    await ask('query', 1, 0);
    assert.deepEqual(granted, ['exit:true', `query:${minutes === 0}`, 'query:true']);
  }
});
