import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engageHalt } from '#storage/trading/halts.ts';
import { until } from '#test/flow/until.ts';
import { assertConsistent, openOutcomes } from './oracle.ts';
import { drawSchedule } from './schedule.ts';
import { openEnvironment, type Environment } from './environment.ts';
import { openOwner as openWorkerProcess, type Owner, PATIENCE_MS, PLACES } from './owner.ts';
import { openSandbox, type Sandbox } from './sandbox.ts';
import { openTrace } from './trace.ts';

const openOwner = (slot: string, { url }: Sandbox, { paper }: Environment): Promise<Owner> =>
  openWorkerProcess(slot, { databaseUrl: url, paperUrl: paper.url });

const ordersOf = async ({ database }: Environment, fencing: string): Promise<string[]> => {
  const rows = await database.kysely
    .selectFrom('orders')
    .select('client_order_id')
    .where('fencing', '=', fencing)
    .execute();
  return rows.map((row) => row.client_order_id).toSorted();
};

const leaseOf = ({ database }: Environment) =>
  database.kysely.selectFrom('account_leases').select(['holder', 'fencing']).executeTakeFirst();

/** Waits until another worker owns and runs the account; prints how long the takeover took. */
async function takenOver(environment: Environment, to: Owner, cause: string): Promise<void> {
  const sinceMs = performance.now();
  await until(
    `worker ${to.slot} to own the account`,
    async () => (await leaseOf(environment))?.holder === to.slot,
    PATIENCE_MS,
  );
  console.log(`  ${cause}: the other worker owns the account after ${Math.round(performance.now() - sinceMs)} ms`);
  await until(`worker ${to.slot} to run the account`, () => to.said('account_running'), PATIENCE_MS);
}

const stop = (owner: Owner) => () => void owner.process.kill('SIGSTOP');

/** Paused with its intent on the way to the database, a worker cannot commit it after a takeover. */
async function pausedBeforeCommit(environment: Environment, owner: Owner, other: Owner): Promise<void> {
  const { fencing = '' } = (await leaseOf(environment)) ?? {};
  const arriving = Promise.withResolvers<void>();
  await owner.atNext([/intent-commit/], () => {
    stop(owner)();
    return arriving.promise;
  });
  await takenOver(environment, other, 'paused before its commit');
  const before = await ordersOf(environment, fencing);
  owner.process.kill('SIGCONT');
  arriving.resolve();
  // The refused commit reports it, or the lost lease does earlier; the commit has its response by then.
  const detected = (): boolean => owner.said('account_fault') || owner.said('lease_lost');
  await until('the old owner to detect it', detected, PATIENCE_MS);
  assert.deepEqual(await ordersOf(environment, fencing), before, 'committed with an old fencing number');
}

/** Client ids of all orders that the exchange has had. */
const sentOf = ({ paper }: Environment): string[] =>
  [...paper.venue.engine.orders.byId.values()].map(({ clientOrderId }) => clientOrderId);

/** Paused between commit and send, a worker must not send the committed order: its deadline has passed. */
async function pausedBeforeSend(environment: Environment, owner: Owner, other: Owner): Promise<void> {
  const { fencing = '' } = (await leaseOf(environment)) ?? {};
  const before = await ordersOf(environment, fencing);
  await owner.atNext([/intent-commit/], stop(owner));
  await takenOver(environment, other, 'paused between commit and send');
  const known = [...before, ...sentOf(environment)];
  const late = (await ordersOf(environment, fencing)).find((id) => !known.includes(id));
  assert.ok(late !== undefined, 'the intent was committed before the pause took effect');
  // A sale may be sent for longer than a takeover takes.
  const { send_before: sendBefore } = await environment.database.kysely
    .selectFrom('orders')
    .select('send_before')
    .where('client_order_id', '=', late)
    .executeTakeFirstOrThrow();
  await until('its deadline', () => Date.now() > sendBefore.getTime(), PATIENCE_MS);
  const placed = owner.placed();
  owner.process.kill('SIGCONT');
  await until(
    'the intent to be settled',
    async () => (await openOutcomes(environment)).every((text) => !text.includes(late)),
    PATIENCE_MS,
  );
  assert.equal(owner.placed(), placed, 'sent after the takeover');
  assert.ok(!sentOf(environment).includes(late), 'the exchange has an order that was too late');
}

/** Stopped while its order is in flight, the worker applies the response and leaves nothing open. */
async function stoppedWithAnOrderOnItsWay(environment: Environment, owner: Owner, other: Owner): Promise<void> {
  const { fencing = '' } = (await leaseOf(environment)) ?? {};
  await environment.addFault({ match: { method: 'POST', path: '/api/v3/order' }, kind: 'delay', delayMs: 500 });
  await owner.atNext([PLACES], () => void owner.process.kill('SIGTERM'));
  const sinceMs = performance.now();
  await until('the worker to end', () => owner.process.exitCode !== null, PATIENCE_MS);
  console.log(`  SIGTERM: the worker has ended after ${Math.round(performance.now() - sinceMs)} ms`);
  assert.equal(owner.process.exitCode, 0);
  const own = await ordersOf(environment, fencing);
  // The next owner may have orders on their way already.
  const left = (await openOutcomes(environment)).filter((text) => own.some((id) => text.startsWith(id)));
  assert.deepEqual(left, []);
  await takenOver(environment, other, 'stopped');
}

test('of two workers one owns the account: killed, paused, continued and stopped, nothing is sent twice or late', async () => {
  await using sandbox = await openSandbox();
  await using environment = await openEnvironment(
    { ...drawSchedule(1), amount: '9000', guarded: false },
    { sandbox, trace: openTrace(), hours: 400 },
  );
  await using first = await openOwner('first', sandbox, environment);
  await until('the first worker to trade', () => first.placed() > 1, PATIENCE_MS);
  await using second = await openOwner('second', sandbox, environment);
  first.process.kill('SIGKILL');
  await takenOver(environment, second, 'killed');
  await using third = await openOwner('third', sandbox, environment);
  await pausedBeforeCommit(environment, second, third);
  await using fourth = await openOwner('fourth', sandbox, environment);
  await second[Symbol.asyncDispose]();
  await pausedBeforeSend(environment, third, fourth);
  await stoppedWithAnOrderOnItsWay(environment, fourth, third);
  await engageHalt(environment.database, { scope: 'all', subject: 'all', reason: 'end', freeze: true, userId: null });
  await environment.stopMarket();
  await until('every outcome to be known', async () => (await openOutcomes(environment)).length === 0, PATIENCE_MS);
  third.process.kill('SIGTERM');
  await until('the last worker to end', () => third.process.exitCode !== null, PATIENCE_MS);
  await assertConsistent(environment, { engagements: [], killed: true, guarded: false, restored: false });
});
