import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { cacheKeys } from '#core/installation/cache-keys.ts';
import type { HaltScope } from '#core/account/halts.ts';
import { engageHalt, type HaltSubject, releaseHalt } from '#storage/trading/halts.ts';
import { until } from '#test/flow/until.ts';
import { backUp, changeGrid, nextHaltOrder, refuseWrites, restore, unreadLast } from './drills.ts';
import {
  assertConsistent,
  unprotectedCoins,
  type Engagement,
  openActions,
  openOutcomes,
  unreconciled,
} from './oracle.ts';
import { ANY_ORDER, MARKET_BUY, type Schedule, type Step } from './schedule.ts';
import { openEnvironment, type Environment } from './environment.ts';
import type { Recorder } from './recorder.ts';
import type { Sandbox } from './sandbox.ts';
import { thinBooks } from './thin-books.ts';
import type { Trace } from './trace.ts';
import { watchUnprotected, sellByHand } from './unprotected.ts';

/** Longest wait for both sides to agree after the last fault: certainty, restarts and their pauses, on a busy machine. */
const SETTLE_MS = 60_000;
/** Reading all orders costs as much as many ticks. */
const LOOK_MS = 100;
/** Longest wait for the order that a step needs, at pace 1; without an order the cell is not reached. */
const ORDER_MS = 8_000;
/** Longest wait for an order that a backup lacks, at pace 1, before it is restored without one. */
const RESTORE_MS = 1_500;

export interface RunResult {
  readonly seed: number;
  readonly cell: string;
  /** Whether the order that the cell needs appeared. */
  readonly reached: boolean;
  readonly fills: number;
  /** Stored orders by their last state. */
  readonly states: Readonly<Record<string, number>>;
  readonly pace: number;
  readonly wallMs: number;
}

interface Run {
  readonly environment: Environment;
  readonly trace: Trace;
  readonly recorder: Recorder | undefined;
  readonly pace: number;
  readonly engagements: Engagement[];
  /** Work that a step started and the schedule does not wait for. */
  readonly background: Promise<void>[];
  killed: boolean;
  restored: boolean;
  reached: boolean;
  /** Positions must have a stop on the exchange in the end. */
  guarded: boolean;
  /** Kill switches and restores write the same row: one at a time. */
  halting: Promise<unknown>;
}

export interface RunOptions {
  readonly sandbox: Sandbox;
  readonly trace: Trace;
  readonly recorder: Recorder | undefined;
  /** How many times slower than on an idle machine (pace.ts). */
  readonly pace: number;
}

/** Runs one schedule and checks the result; throws at the first violation. */
export async function runSchedule(schedule: Schedule, options: RunOptions): Promise<RunResult> {
  const { trace, recorder, pace } = options;
  const startedMs = performance.now();
  await using environment = await trace.during('opening the environment', () => openEnvironment(schedule, options));
  const run: Run = {
    environment,
    trace,
    recorder,
    pace,
    engagements: [],
    background: [],
    killed: false,
    restored: false,
    reached: true,
    guarded: schedule.guarded,
    halting: Promise.resolve(),
  };
  const watch = watchUnprotected(run);
  await environment.worker.start();
  await Promise.all(schedule.cell.steps.map((step) => perform(run, step)));
  const startedStepsMs = performance.now();
  for (const { atMs, step } of schedule.steps) {
    await delay(Math.max(0, startedStepsMs + atMs - performance.now()));
    await perform(run, step);
  }
  await delay(Math.max(0, startedStepsMs + schedule.lengthMs - performance.now()));
  await trace.during('settling', () => settle(run));
  const [unprotected] = await watch.end();
  if (unprotected !== undefined) throw new Error(unprotected);
  await trace.during('checking', () => assertConsistent(environment, run));
  const { seed, cell } = schedule;
  const wallMs = Math.round(performance.now() - startedMs);
  return { seed, cell: cell.name, reached: run.reached, ...(await countUp(environment)), pace, wallMs };
}

const perform = (run: Run, step: Step): Promise<void> =>
  run.trace.during(JSON.stringify(step), () => performNow(run, step));

async function performNow(run: Run, step: Step): Promise<void> {
  const { environment } = run;
  switch (step.kind) {
    case 'fault':
      return environment.addFault(step.fault);
    case 'event-fault':
      return environment.control('POST', '/faults/events', [step.fault]);
    case 'drop-streams':
      return environment.control('POST', '/streams/drop');
    case 'drop-connections':
      return environment.dropConnections();
    case 'restart-database':
      return restartDatabase(run, step.downMs);
    case 'kill-worker':
      return killWorker(run, step.downMs);
    case 'clock-jump':
      return jumpClock(environment, step);
    case 'engage':
      return engageFor(run, step);
    case 'thin': {
      const restore = thinBooks(environment.paper.venue);
      return inBackground(run, delay(step.forMs * run.pace).then(restore));
    }
    case 'start-blind':
      await environment.addFault(step.fault);
      return killWorker(run, step.downMs);
    case 'unread-candles':
      return inBackground(run, (await unreadLast(environment, run.pace))());
    case 'change-grid':
      return changeGrid(environment, step.by);
    case 'refuse-writes':
      return refuseWrites(environment, step.forMs);
    case 'restore':
      return restoreLater(run, step);
    case 'unguard':
      return unguard(run);
    case 'request':
      return requestAction(run, step);
    case 'at':
      return atPiece(run, step);
  }
}

/** The end of the run waits for it; an earlier failure fails the run then, not the program. */
function inBackground({ background }: Run, ending: Promise<void>): void {
  ending.catch(() => {});
  background.push(ending);
}

async function killWorker(run: Run, downMs: number): Promise<void> {
  run.killed = true;
  run.environment.worker.kill();
  await delay(downMs);
  await run.environment.worker.start();
}

async function restartDatabase(run: Run, downMs: number): Promise<void> {
  const restore = await run.environment.worker.cutDatabase();
  await delay(downMs);
  await restore();
}

/** The exchange refuses the next order for its clock; the clock reading that follows is wrong too. */
async function jumpClock({ addFault, paper }: Environment, jump: Extract<Step, { kind: 'clock-jump' }>): Promise<void> {
  const { speed } = paper.venue.clock;
  const body = { serverTime: Date.now() + jump.byMs, marketTime: paper.venue.clock.nowMs(), marketSpeed: speed };
  const read = { method: 'GET', path: '/api/v3/time' };
  await addFault({ match: read, kind: 'apply-then-fail', status: 200, body, times: 3 });
  const refused = { code: -1021, msg: 'Timestamp for this request is outside of the recvWindow.' };
  await addFault({ match: jump.match, kind: 'fail-before', status: 400, body: refused });
}

/** Log rows and counts since the backup are lost. */
async function restoreLater(run: Run, { pieces, haltMs }: Extract<Step, { kind: 'restore' }>): Promise<void> {
  const { environment } = run;
  run.recorder?.note('backed-up');
  const path = await backUp(environment);
  const ordered = Promise.withResolvers<void>();
  environment.worker.watchFor(ANY_ORDER, pieces, ordered.resolve);
  const restoreAndRelease = async (): Promise<void> => {
    await Promise.race([ordered.promise, delay(RESTORE_MS * run.pace)]);
    const engagement = await inTurn(run, () => restore(environment, path, run.engagements));
    if (engagement === undefined) return;
    [run.killed, run.restored] = [true, true];
    await delay(haltMs * run.pace);
    await inTurn(run, () => release(environment, engagement));
    await environment.notify('halts-changed');
  };
  inBackground(run, restoreAndRelease());
}

function inTurn<Result>(run: Run, work: () => Promise<Result>): Promise<Result> {
  const next = run.halting.then(work);
  run.halting = next.catch(() => {});
  return next;
}

async function unguard(run: Run): Promise<void> {
  run.guarded = false;
  const config = sql<string>`jsonb_set(config, '{sell,protectiveStop}', '{"enabled": false}')`;
  await run.environment.database.kysely.updateTable('profiles').set({ config }).execute();
  await run.environment.notify('profiles-changed');
}

/** Requests an operator action as the api does, and cancels its resting order where the step says so. */
async function requestAction(run: Run, step: Extract<Step, { kind: 'request' }>): Promise<void> {
  const { environment, pace } = run;
  const id = await environment.request(step.action, step.payload);
  if (step.cancel) inBackground(run, cancelByHand(environment, id, performance.now() + ORDER_MS * pace));
}

async function cancelByHand(environment: Environment, actionId: string, untilMs: number): Promise<void> {
  const resting = environment.database.kysely.selectFrom('orders').select('id').where('action_id', '=', actionId);
  for (; performance.now() < untilMs; await delay(50)) {
    const order = await resting.where('state', '=', 'open').executeTakeFirst();
    if (order !== undefined) return void (await environment.request('cancel-order', { orderId: order.id }));
  }
}

async function atPiece(run: Run, { trigger, pieces, step }: Extract<Step, { kind: 'at' }>): Promise<void> {
  const acting = Promise.withResolvers<void>();
  let late = false;
  run.environment.worker.watchFor(trigger, pieces, () => {
    if (!late) acting.resolve(step === null ? Promise.resolve() : perform(run, step));
  });
  const waiting = new AbortController();
  const timeout = delay(ORDER_MS * run.pace, undefined, { signal: waiting.signal }).then(
    () => {
      late = true;
      run.reached = false;
    },
    () => acting.promise,
  );
  void acting.promise.finally(() => waiting.abort()).catch(() => {});
  await Promise.race([acting.promise, timeout]);
}

const subjectOf = ({ accountId, profileId }: Environment, scope: HaltScope): HaltSubject => ({
  scope,
  subject: { all: 'all', account: accountId, profile: profileId }[scope],
});

/** Engages a kill switch and remembers its place in the order of intents; undefined when it is engaged already. */
const engage = (run: Run, scope: HaltScope, freeze: boolean): Promise<Engagement | undefined> =>
  inTurn(run, () => engageNow(run, scope, freeze));

async function engageNow(run: Run, scope: HaltScope, freeze: boolean): Promise<Engagement | undefined> {
  const { environment, engagements } = run;
  if (engagements.some((engagement) => engagement.scope === scope && engagement.until === null)) return undefined;
  const subject = subjectOf(environment, scope);
  const engagement = await environment.database.transaction(async (transaction) => {
    await engageHalt(transaction, { ...subject, reason: 'drill', freeze, userId: null });
    const row = transaction.selectFrom('kill_switches').select('halt_order').where('scope', '=', scope);
    return { scope, freeze, from: BigInt((await row.executeTakeFirstOrThrow()).halt_order), until: null };
  });
  engagements.push(engagement);
  return engagement;
}

async function engageFor(run: Run, step: Extract<Step, { kind: 'engage' }>): Promise<void> {
  const { environment } = run;
  const engagement = await engage(run, step.scope, step.freeze);
  if (engagement === undefined) return;
  const notify = (): Promise<void> => (step.notified ? environment.notify('halts-changed') : Promise.resolve());
  await notify();
  if (step.buys) await environment.request('manual-order', MARKET_BUY);
  const released = delay(step.forMs).then(() => inTurn(run, () => release(environment, engagement)));
  inBackground(run, released.then(notify));
}

/** The number is drawn while the key is still held: every intent after the release has a higher one. */
async function release(environment: Environment, engagement: Engagement): Promise<void> {
  // A restore has removed it.
  if (engagement.until !== null) return;
  engagement.until = await environment.database.transaction(async (transaction) => {
    await releaseHalt(transaction, subjectOf(environment, engagement.scope));
    return nextHaltOrder(transaction);
  });
}

/**
 * Ends faults and buys: every outcome must become known, the worker must continue to decide and protect positions.
 * Then sells everything manually.
 */
async function settle(run: Run): Promise<void> {
  const { environment } = run;
  await Promise.all(run.background);
  await environment.control('DELETE', '/faults');
  await environment.control('DELETE', '/faults/events');
  await environment.worker.start();
  await engage(run, 'all', false);
  const nowMs = Date.now();
  await until('the worker to continue deciding', () => hasTicked(environment, nowMs), SETTLE_MS);
  await environment.stopMarket();
  let open: string[] = [];
  const settled = async (): Promise<boolean> => {
    await delay(LOOK_MS * run.pace);
    const unfinished = [
      ...(await openOutcomes(environment)),
      ...(await openActions(environment)),
      ...(await unreconciled(environment)),
    ];
    open = [...unfinished, ...(run.guarded ? await unprotectedCoins(environment) : [])];
    return open.length === 0;
  };
  for (let sold = false; ; ) {
    await until('every outcome to be known', settled, SETTLE_MS).catch((error: unknown) => {
      throw new Error(`It does not come to rest: ${open.join('; ')}`, { cause: error });
    });
    if (!sold) {
      sold = true;
      for (const symbol of environment.symbols) await sellByHand(run, symbol);
      continue;
    }
    await environment.worker.stop();
    if ([...(await openOutcomes(environment)), ...(await unreconciled(environment))].length === 0) return;
    // The worker was stopped while it moved a stop, or a restore came late: the next worker resolves that.
    await environment.worker.start();
  }
}

/** Whether a tick after `wallMs` is recorded: ids of audits carry their wall time. */
async function hasTicked({ cache, profileId }: Environment, wallMs: number): Promise<boolean> {
  const [newest = ''] = await cache.newest(cacheKeys.tickTrace(profileId), 1);
  const id = /"id":"([0-9a-f-]+)"/.exec(newest)?.[1] ?? '';
  return Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16) > wallMs;
}

async function countUp({ database, paper }: Environment): Promise<Pick<RunResult, 'fills' | 'states'>> {
  const rows = await database.kysely.selectFrom('orders').select('state').execute();
  const states: Record<string, number> = {};
  for (const { state } of rows) states[state] = (states[state] ?? 0) + 1;
  return { fills: [...paper.venue.engine.orders.fillsByOwner.values()].flat().length, states };
}
