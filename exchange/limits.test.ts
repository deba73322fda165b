import assert from 'node:assert/strict';
import test, { mock } from 'node:test';
import { createRateLimiter, createOrderBudget, type RequestPriority, type OrderBudget, type Usage } from './limits.ts';

/** Ten seconds into a minute. */
const START_MS = 10_000;
const usageOf = (usedWeight: number | undefined, rest: Partial<Usage> = {}): Usage => ({
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
  const acquire = async (priority: RequestPriority, weight: number, waitMs = 120_000, orders?: OrderBudget) => {
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
  return { made, granted, acquire, pass, limit, now: () => now };
}

test.afterEach(() => mock.timers.reset());

test('lower priorities stop before higher ones do', async () => {
  const { granted, acquire, pass, limit } = limiter();
  limit(100);
  await acquire('history', 50);
  void acquire('history', 1);
  void acquire('entry', 31);
  void acquire('query', 41);
  void acquire('query', 40);
  void acquire('exit', 8);
  await pass(0);
  assert.deepEqual(granted, ['history:true', 'query:true', 'exit:true']);
});

test('a waiting request goes in the next minute, higher priorities first', async () => {
  const { granted, acquire, pass, limit } = limiter();
  limit(100);
  (await acquire('exit', 100))?.settle(usageOf(100));
  void acquire('history', 10);
  void acquire('exit', 10);
  await pass(49_999);
  assert.deepEqual(granted, ['exit:true']);
  await pass(1);
  assert.deepEqual(granted, ['exit:true', 'exit:true', 'history:true']);
});

test('a request that cannot go in time is refused at once or at its deadline', async () => {
  const { granted, acquire, pass, limit } = limiter();
  limit(100);
  const first = await acquire('exit', 100);
  void acquire('entry', 1, 2_000);
  await pass(1_999);
  assert.deepEqual(granted, ['exit:true']);
  await pass(1);
  assert.deepEqual(granted, ['exit:true', 'entry:false']);
  first?.settle(usageOf(undefined, { status: 429, code: -1003, retryAfterMs: 30_000 }));
  await acquire('exit', 1, 20_000);
  assert.deepEqual(granted, ['exit:true', 'entry:false', 'exit:false']);
});

test('Retry-After stops everything until its end', async () => {
  const { granted, acquire, pass } = limiter();
  (await acquire('query', 1))?.settle(usageOf(undefined, { status: 418, code: -1003 }));
  void acquire('exit', 1, 200_000);
  await pass(119_999);
  assert.deepEqual(granted, ['query:true']);
  await pass(1);
  assert.deepEqual(granted, ['query:true', 'exit:true']);
});

test('too many orders stops new orders of that account, but no cancels and no other account', async () => {
  const { granted, acquire, pass } = limiter();
  const [busy, other] = [createOrderBudget(), createOrderBudget()];
  (await acquire('entry', 1, 1_000, busy))?.settle(usageOf(7, { status: 429, code: -1015, retryAfterMs: 5_000 }));
  void acquire('entry', 1, 60_000, busy);
  await acquire('exit', 1);
  await acquire('entry', 1, 0, other);
  assert.deepEqual(granted, ['entry:true', 'exit:true', 'entry:true']);
  await pass(5_000);
  assert.equal(granted.length, 4);
});

test('orders count in each window of their account; entries leave room for exits', async () => {
  const { made, granted, acquire, pass } = limiter();
  made.setLimits({
    weight: undefined,
    requests: undefined,
    orders: [
      { windowMs: 10_000, limit: 10 },
      { windowMs: 86_400_000, limit: 1_000 },
    ],
  });
  const orders = createOrderBudget();
  const counted = (tenSeconds: number) => usageOf(1, { orderCounts: new Map([[10_000, tenSeconds]]) });
  (await acquire('entry', 1, 0, orders))?.settle(counted(8));
  void acquire('entry', 1, 1_000, orders);
  (await acquire('exit', 1, 0, orders))?.settle(counted(9));
  await pass(1_000);
  assert.deepEqual(granted, ['entry:true', 'exit:true', 'entry:false']);
  // A refused order does not count, although it was counted while in flight.
  (await acquire('exit', 1, 0, createOrderBudget()))?.settle(usageOf(1, { status: 400, code: -2010 }));
  void acquire('entry', 1, 20_000, orders);
  await pass(9_000);
  assert.equal(granted.at(-1), 'entry:true');
});

test('the header is authoritative, and weight in flight is added', async () => {
  const { granted, acquire, pass, limit } = limiter();
  limit(100);
  const first = await acquire('query', 20);
  await acquire('query', 20);
  // Another process has used 60.
  first?.settle(usageOf(80));
  void acquire('query', 5, 1_000);
  await pass(1_000);
  assert.deepEqual(granted, ['query:true', 'query:true', 'query:false']);
});

test('a late reply does not lower the count, and the count of an old minute does not change a new one', async () => {
  const { granted, acquire, pass, limit } = limiter();
  limit(100);
  const [early, late] = [await acquire('query', 1), await acquire('query', 1)];
  late?.settle(usageOf(89));
  early?.settle(usageOf(2));
  await acquire('query', 5, 0);
  assert.equal(granted.at(-1), 'query:false');
  const slow = await acquire('exit', 1);
  await pass(50_000);
  slow?.settle(usageOf(90));
  await acquire('query', 50, 0);
  assert.equal(granted.at(-1), 'query:true');
});

test('a released request costs nothing', async () => {
  const { granted, acquire, limit } = limiter();
  limit(100);
  (await acquire('entry', 80))?.release();
  await acquire('entry', 80);
  assert.deepEqual(granted, ['entry:true', 'entry:true']);
});

test('the minute is that of the exchange, also when its clock is set back', async () => {
  const { made, granted, acquire, limit, now } = limiter();
  let offMs = 3_600_000;
  made.followClock(() => now() + offMs);
  limit(100);
  (await acquire('exit', 98))?.settle(usageOf(98));
  offMs = -50_000;
  await acquire('query', 50, 0);
  assert.deepEqual(granted, ['exit:true', 'query:true']);
});

test('weight in flight, counts and stops of another process hold here too', async () => {
  const { made, granted, acquire, pass, limit, now } = limiter();
  limit(100);
  made.merge('other', { window: Math.floor(now() / 60_000), counted: 40, inFlight: 45, stopMs: 0, blockedMs: 0 });
  await acquire('query', 6, 0);
  await acquire('query', 5, 0);
  assert.deepEqual(granted, ['query:false', 'query:true']);
  made.merge('other', { window: 0, counted: 40, inFlight: 0, stopMs: now() + 70_000, blockedMs: 0 });
  await acquire('exit', 1, 60_000);
  void acquire('exit', 1, 80_000);
  await pass(70_000);
  assert.deepEqual(granted.slice(2), ['exit:false', 'exit:true']);
  made.merge('other', { window: 0, counted: 40, inFlight: 0, stopMs: 0, blockedMs: now() + 60_000 });
  await acquire('query', 1, 0);
  await acquire('exit', 1, 0);
  assert.deepEqual(granted.slice(4), ['query:false', 'exit:true']);
});

test('nothing is granted before the state of earlier processes is loaded', async () => {
  const { made, granted, acquire, pass, now } = limiter();
  const loading = Promise.withResolvers<void>();
  made.waitFor(loading.promise);
  void acquire('exit', 1, 1_000);
  await pass(0);
  assert.deepEqual(granted, []);
  made.merge('earlier', { window: 0, counted: 0, inFlight: 0, stopMs: now() + 60_000, blockedMs: 0 });
  loading.resolve();
  await pass(0);
  assert.deepEqual(granted, ['exit:false']);
});

test('after a page of the firewall only exits go, for a minute, then two; a success ends the count', async () => {
  const { granted, acquire, pass } = limiter();
  const settleOne = async (status: number): Promise<void> =>
    (await acquire('exit', 1, 0))?.settle(usageOf(undefined, { status, code: null }));
  for (const { status, minutes } of [
    { status: 403, minutes: 1 },
    { status: 403, minutes: 2 },
    { status: 200, minutes: 0 },
    { status: 403, minutes: 1 },
  ]) {
    granted.length = 0;
    await settleOne(status);
    if (minutes > 0) await pass(minutes * 60_000 - 1);
    await acquire('query', 1, 0);
    await pass(1);
    await acquire('query', 1, 0);
    assert.deepEqual(granted, ['exit:true', `query:${minutes === 0}`, 'query:true']);
  }
});
