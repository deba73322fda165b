import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ProfileId } from '#core/ids.ts';
import { isLiveOrder, type OrderState } from '#core/order/order.ts';
import { createProfile } from '#api/contract/profiles.ts';
import { createInlet, deleteInlet, listSignals } from '#api/contract/signals.ts';
import { openDice } from '#test/flow/random.ts';
import { openStack, type Stack } from '#test/flow/stack.ts';
import { until } from '#test/flow/until.ts';
import { openOwner, type Owner, PATIENCE_MS, PLACES } from './owner.ts';

/** Each takes 10 s to 40 s; SIGNAL_SEEDS=200 is the long one. */
const SEEDS = Number(process.env['SIGNAL_SEEDS'] ?? 4);
const FIRST = Number(process.env['FAULT_SEED'] ?? Date.now() % 1_000_000);
const SYMBOL = 'BTCUSDT';
/** Only signals place orders. */
const CONFIG = {
  entrySizing: { mode: 'fixed', amount: '50' },
  lossCooldownMinutes: 0,
  stopLossPercentage: '',
  protectiveStop: { enabled: false },
};
/** Seeds in turn have each of them. */
const CRASHES = [
  'killed before the request',
  'paused before the commit',
  'killed before the commit',
  'killed at the request',
  'paused before the request',
  'none',
] as const;
type Crash = (typeof CRASHES)[number];
const COMMITS = /intent-commit/;
const LATE_MS = 301_000;

let stack: Stack;
let profileId: ProfileId;
/** Two processes at the start of each seed; one of them owns the account. */
const workers = new Set<Owner>();
let slots = 0;
const tally = new Map<string, number>();

before(async () => {
  stack = await openStack({ source: { kind: 'synthetic' } });
  await stack.stopWorker();
  const { accountId } = stack;
  const body = { accountId, name: 'Charts', strategyName: 'signal', config: CONFIG, enabled: true, symbols: [SYMBOL] };
  profileId = (await stack.call(createProfile, { body })).profile.id;
});
after(async () => {
  for (const worker of workers) await end(worker);
  await stack[Symbol.asyncDispose]();
});

const title = `${SEEDS} signals while workers are killed and paused around the commit (first seed ${FIRST})`;
test(`${title}: at most one order each, none late`, { timeout: 120_000 + SEEDS * 120_000 }, async () => {
  await sendOne();
  for (let i = 0; i < SEEDS; i++) await runSeed(FIRST + i, CRASHES[i % CRASHES.length] ?? 'none');
  console.table(Object.fromEntries(tally));
  const { rows } = await stack.database.pool.query(
    `select (select count(*)::int from orders) as orders, (select count(*)::int from signals where state = 'used') as used,
      (select count(*)::int from signals where order_id is not null and ended_at > valid_until) as late`,
  );
  assert.deepEqual(rows[0], { orders: rows[0]?.used, used: rows[0]?.used, late: 0 });
});

/** The first order of a coin commits in two steps; the seeds are about one. */
async function sendOne(): Promise<void> {
  await owners();
  const inlet = await stack.call(createInlet, {
    params: { id: profileId },
    body: { name: 'First', maxAgeSeconds: 300 },
  });
  await post(inlet, { action: 'buy', id: 'first' });
  await settled('first');
}

interface Inlet {
  readonly id: string;
  readonly path: string;
  readonly secret: string;
}

/** Sends a message through the inlet; returns the status of the answer. */
async function post({ path, secret }: Inlet, fields: object): Promise<number> {
  const body = { secret, symbol: SYMBOL, time: new Date().toISOString(), ...fields };
  const url = `http://127.0.0.1:${stack.api.port}${path}`;
  const answer = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
  await answer.text();
  return answer.status;
}

async function end(worker: Owner): Promise<void> {
  workers.delete(worker);
  await worker[Symbol.asyncDispose]();
}

/** The worker that owns the account and the one that waits; starts what is missing. */
async function owners(): Promise<{ owner: Owner; spare: Owner }> {
  while (workers.size < 2)
    workers.add(
      await openOwner(`signals-${(slots += 1)}`, { databaseUrl: stack.databaseUrl, paperUrl: stack.paper.url }),
    );
  const owner = await until('a live worker to own the account', holder, PATIENCE_MS);
  const spare = [...workers].find((worker) => worker !== owner);
  assert.ok(spare !== undefined);
  return { owner, spare };
}

const holder = async (): Promise<Owner | undefined> => {
  const lease = await stack.database.kysely.selectFrom('account_leases').select('holder').executeTakeFirst();
  return [...workers].find(({ slot }) => slot === lease?.holder);
};

const signalOf = async (key: string) =>
  (await stack.call(listSignals, { params: { id: profileId } })).signals.find((row) => row.key === key);

const isWaiting = async (key: string): Promise<boolean> => (await signalOf(key))?.state === 'pending';

interface StoredOrder {
  readonly client: string;
  readonly side: 'buy' | 'sell';
  /** `not-sent`: proved absent at the exchange, or never signed. */
  readonly state: OrderState | 'not-sent';
}

const ordersOf = async (): Promise<StoredOrder[]> => {
  const { rows } = await stack.database.pool.query<StoredOrder>(
    `select client_order_id as client, side, case
        when state = 'never-arrived' or payload ->> 'reason' in ('not-sent-in-time', 'not-attempted') then 'not-sent' else state end as state
      from orders order by recorded_at`,
  );
  return rows;
};

/** Client ids of all orders that the exchange has had. */
const sent = (): string[] =>
  [...stack.paper.venue.engine.orders.byId.values()].map(({ clientOrderId }) => clientOrderId);

/** Number of orders that may still be sent. */
const inTime = async (): Promise<number | null> =>
  (
    await stack.database.pool.query(
      `select from orders where state in ('intent', 'unknown') and send_before > clock_timestamp()`,
    )
  ).rowCount;

/** Waits until the signal has its outcome, and the order its own. */
async function settled(key: string): Promise<StoredOrder[]> {
  await until(`the end of ${key}`, async () => !(await isWaiting(key)), 320_000);
  return until(`the outcome of the order of ${key}`, async () => {
    const orders = await ordersOf();
    return orders.every(({ state }) => state === 'not-sent' || !isLiveOrder(state)) && orders;
  });
}

async function runSeed(seed: number, crash: Crash): Promise<void> {
  const dice = openDice(seed);
  const { owner, spare } = await owners();
  const before = await ordersOf();
  const isHeld = before.findLast(({ state }) => state === 'filled')?.side === 'buy';
  const action = isHeld ? dice.pick(['sell', 'close']) : 'buy';
  // A takeover may outlast the shorter one.
  const maxAgeSeconds = dice.pick([300, 300, 15] as const);
  const name = `seed ${seed}: ${action}, ${crash}, valid ${maxAgeSeconds} s`;
  const inlet = await stack.call(createInlet, { params: { id: profileId }, body: { name, maxAgeSeconds } });
  const key = `seed-${seed}`;
  const message = { action, id: key, time: new Date().toISOString() };
  const repeat = async (): Promise<void> => {
    assert.ok([200, 202].includes(await post(inlet, message)), `${name}: a repeated message`);
    const older = { action: isHeld ? 'close' : 'buy', id: `older-${seed}`, time: new Date(Date.now() - LATE_MS) };
    assert.equal(await post(inlet, older), 422, `${name}: a late message`);
    await post(inlet, { ...message, id: `forged-${seed}`, secret: `tw_${'a'.repeat(49)}` });
  };
  // A sale may be sent for 6 s, which is about as long as a takeover takes.
  const isOverdue = dice.chance(0.5);
  const crashed = await crashAround(crash, { owner, spare, key, isOverdue }, async () => {
    const count = Math.ceil(dice.between(0, 4));
    await Promise.all(Array.from({ length: count }, () => post(inlet, message)));
  });
  await repeat();
  await crashed.resume();
  const orders = (await settled(key)).slice(before.length);
  await repeat();
  const signal = await signalOf(key);
  await stack.call(deleteInlet, { params: { id: profileId, inlet: inlet.id } });
  const neverSent = crashed.happened && crash.endsWith('before the request');
  const isExpired = signal?.state === 'ended' && maxAgeSeconds < 300;
  const states = orders.map(({ state }) => state);
  const expected = isExpired ? [] : [neverSent ? 'not-sent' : 'filled'];
  // Resumed in time, the first worker may send its sale.
  const isEither = crash === 'paused before the request' && isHeld && !isOverdue;
  if (isEither) assert.equal(states.length, 1, name);
  else assert.deepEqual(states, expected, `${name}: ${JSON.stringify(signal)}`);
  const all = await ordersOf();
  assert.equal(all.length, before.length + states.length, `${name}: an order after the end`);
  const arrived = all.filter(({ state }) => state !== 'not-sent').map(({ client }) => client);
  assert.deepEqual(sent().toSorted(), arrived.toSorted(), `${name}: the exchange has the same orders`);
  const outcome = `${crash}: ${states[0] ?? 'expired'}`;
  tally.set(outcome, (tally.get(outcome) ?? 0) + 1);
}

interface Crashed {
  readonly happened: boolean;
  /** Lets a paused worker continue, and waits until it has found its lease lost. */
  resume(): Promise<void>;
}

/** Sends a signal, and crashes the worker that carries it out at that step. */
async function crashAround(
  crash: Crash,
  { owner, spare, key, isOverdue }: { owner: Owner; spare: Owner; key: string; isOverdue: boolean },
  send: () => Promise<void>,
): Promise<Crashed> {
  const arriving = Promise.withResolvers<void>();
  const isKill = crash.startsWith('killed');
  const isSent = crash === 'killed at the request';
  const isHeld = crash.endsWith('before the commit');
  if (crash === 'none') return send().then(() => ({ happened: false, resume: async () => {} }));
  using step = owner.onNext([isSent ? PLACES : COMMITS], () => {
    owner.process.kill(isKill && crash !== 'killed before the request' ? 'SIGKILL' : 'SIGSTOP');
    return isHeld ? arriving.promise : undefined;
  });
  await send();
  await until(`${key} at its step`, async () => step.isDone() || !(await isWaiting(key)), PATIENCE_MS);
  if (!step.isDone()) return { happened: false, resume: async () => {} };
  if (crash.endsWith('before the request'))
    await until('the commit', async () => (await signalOf(key))?.state === 'used', PATIENCE_MS);
  if (isKill) {
    await end(owner);
    return { happened: true, resume: async () => {} };
  }
  await until('the takeover', async () => (await holder()) === spare, PATIENCE_MS);
  // Both workers have read it: the second one carries out what the first one still has on its way.
  await until('the second worker to answer it', async () => !(await isWaiting(key)), 320_000);
  return {
    happened: true,
    async resume() {
      if (isOverdue) await until('the end of the time to send', async () => (await inTime()) === 0, PATIENCE_MS);
      owner.process.kill('SIGCONT');
      arriving.resolve();
      const isDetected = (): boolean => owner.said('lease_lost') || owner.said('account_fault');
      await until('the first worker to detect it', isDetected, PATIENCE_MS);
      await settled(key);
      await end(owner);
    },
  };
}
