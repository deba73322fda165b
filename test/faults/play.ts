import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { cacheKeys } from '#core/installation/cache-keys.ts';
import type { HaltScope } from '#core/account/halts.ts';
import { engageHalt, type HaltSubject, releaseHalt } from '#storage/trading/halts.ts';
import { until } from '#test/flow/until.ts';
import { backUp, changeGrid, nextHaltOrder, refuseWrites, restore, unreadLast } from './drills.ts';
import { assertConsistent, bareCoins, type Engagement, openActions, openOutcomes, uncompared } from './oracle.ts';
import { ANY_ORDER, describeSchedule, drawSchedule, MARKET_BUY, type Schedule, type Step } from './schedule.ts';
import { paceNow } from './pace.ts';
import { openStage, type Stage } from './stage.ts';
import { openTheatre, type Theatre } from './theatre.ts';
import { thinBooks } from './thin.ts';
import { openTrail, type Trail } from './trail.ts';
import { openVigil, sellByHand } from './vigil.ts';

/** Longest wait for both sides to agree after the last fault: certainty, restarts and their pauses, on a busy machine. */
const SETTLE_MS = 60_000;
/** A look at all orders costs as much as many ticks. */
const LOOK_MS = 100;
/** Longest time for a whole run, start and end included. */
const RUN_MS = 150_000;
/** Longest wait for the order that a step needs, at pace 1; without one the cell is not played. */
const ORDER_MS = 8_000;
/** Longest wait for an order that a backup lacks, at pace 1, before it is restored without one. */
const RESTORE_MS = 1_500;
/** So often a schedule is played until the order that its cell needs has come: the market and the clock decide that. */
const TRIES = 3;

export interface Played {
  readonly seed: number;
  readonly cell: string;
  /** Whether the order that the cell needs came. */
  readonly reached: boolean;
  readonly fills: number;
  /** Stored orders by their last state. */
  readonly states: Readonly<Record<string, number>>;
  readonly pace: number;
  readonly wallMs: number;
}

/** Plays seeds, each on a theatre that is free. */
export interface Company extends AsyncDisposable {
  /** Plays the schedule of a seed and judges it. An error names the seed and lists the schedule. */
  play(seed: number): Promise<Played>;
}

export function openCompany(): Company {
  const theatres = new AsyncDisposableStack();
  const free: Theatre[] = [];
  return {
    async play(seed) {
      for (let left = TRIES; ; left--) {
        const theatre = free.pop() ?? theatres.use(await openTheatre());
        const played = await playSeed(seed, theatre);
        // One whose run has failed may still be in use by what hangs there.
        await theatre.clear();
        free.push(theatre);
        if (played.reached || left === 1) return played;
      }
    },
    [Symbol.asyncDispose]: () => theatres.disposeAsync(),
  };
}

async function playSeed(seed: number, theatre: Theatre): Promise<Played> {
  const schedule = drawSchedule(seed);
  const trail = openTrail();
  try {
    return await inTime(play(schedule, theatre, trail));
  } catch (error) {
    const { message } = error instanceof Error ? error : new Error(String(error));
    const words = [message, await trail.tell(), `To play it again: npm run faults -- --seed ${seed}`];
    throw new Error([...words, describeSchedule(schedule)].join('\n'), { cause: error });
  }
}

async function inTime(played: Promise<Played>): Promise<Played> {
  const stop = new AbortController();
  const late = delay(RUN_MS, undefined, { signal: stop.signal }).then((): never => {
    throw new Error(`The run did not end within ${RUN_MS} ms.`);
  });
  try {
    return await Promise.race([played, late]);
  } finally {
    stop.abort();
  }
}

interface Run {
  readonly stage: Stage;
  readonly trail: Trail;
  readonly pace: number;
  readonly engagements: Engagement[];
  /** What a step has begun and the schedule does not wait for. */
  readonly later: Promise<void>[];
  killed: boolean;
  restored: boolean;
  reached: boolean;
  /** Positions must have a stop on the exchange in the end. */
  guarded: boolean;
  /** Kill switches and restores write the same row: one at a time. */
  halting: Promise<unknown>;
}

async function play(schedule: Schedule, theatre: Theatre, trail: Trail): Promise<Played> {
  const startedMs = performance.now();
  const pace = paceNow();
  await using stage = await trail.during('opening the stage', () => openStage(schedule, { theatre, trail, pace }));
  const run: Run = {
    stage,
    trail,
    pace,
    engagements: [],
    later: [],
    killed: false,
    restored: false,
    reached: true,
    guarded: schedule.guarded,
    halting: Promise.resolve(),
  };
  const vigil = openVigil(run);
  await stage.worker.start();
  await Promise.all(schedule.cell.steps.map((step) => perform(run, step)));
  const beganMs = performance.now();
  for (const { atMs, step } of schedule.steps) {
    await delay(Math.max(0, beganMs + atMs - performance.now()));
    await perform(run, step);
  }
  await delay(Math.max(0, beganMs + schedule.lengthMs - performance.now()));
  await trail.during('settling', () => settle(run));
  const [bare] = await vigil.end();
  if (bare !== undefined) throw new Error(bare);
  await trail.during('judging', () => assertConsistent(stage, run));
  const { seed, cell } = schedule;
  const wallMs = Math.round(performance.now() - startedMs);
  return { seed, cell: cell.name, reached: run.reached, ...(await countUp(stage)), pace, wallMs };
}

const perform = (run: Run, step: Step): Promise<void> => run.trail.during(JSON.stringify(step), () => take(run, step));

async function take(run: Run, step: Step): Promise<void> {
  const { stage } = run;
  switch (step.kind) {
    case 'fault':
      return stage.addFault(step.fault);
    case 'event-fault':
      return stage.control('POST', '/faults/events', [step.fault]);
    case 'drop-streams':
      return stage.control('POST', '/streams/drop');
    case 'drop-connections':
      return stage.dropConnections();
    case 'restart-database':
      return restartDatabase(run, step.downMs);
    case 'kill-worker':
      return killWorker(run, step.downMs);
    case 'clock-jump':
      return jumpClock(stage, step);
    case 'engage':
      return engageFor(run, step);
    case 'thin': {
      const restore = thinBooks(stage.paper.venue);
      return goOn(run, delay(step.forMs * run.pace).then(restore));
    }
    case 'start-blind':
      await stage.addFault(step.fault);
      return killWorker(run, step.downMs);
    case 'unread-candles':
      return goOn(run, (await unreadLast(stage, run.pace))());
    case 'change-grid':
      return changeGrid(stage, step.by);
    case 'refuse-writes':
      return refuseWrites(stage, step.forMs);
    case 'restore':
      return restoreLater(run, step);
    case 'unguard':
      return unguard(run);
    case 'ask':
      return ask(run, step);
    case 'at':
      return atPiece(run, step);
  }
}

/** Waited for in the end; what fails before fails the run then, and not the program. */
function goOn({ later }: Run, ending: Promise<void>): void {
  ending.catch(() => {});
  later.push(ending);
}

async function killWorker(run: Run, downMs: number): Promise<void> {
  run.killed = true;
  run.stage.worker.kill();
  await delay(downMs);
  await run.stage.worker.start();
}

async function restartDatabase(run: Run, downMs: number): Promise<void> {
  const restore = await run.stage.worker.cutDatabase();
  await delay(downMs);
  await restore();
}

/** The next order is told that its clock is wrong; the reading it then takes is wrong indeed. */
async function jumpClock({ addFault, paper }: Stage, jump: Extract<Step, { kind: 'clock-jump' }>): Promise<void> {
  const { speed } = paper.venue.clock;
  const body = { serverTime: Date.now() + jump.byMs, marketTime: paper.venue.clock.nowMs(), marketSpeed: speed };
  const read = { method: 'GET', path: '/api/v3/time' };
  await addFault({ match: read, kind: 'apply-then-fail', status: 200, body, times: 3 });
  const refused = { code: -1021, msg: 'Timestamp for this request is outside of the recvWindow.' };
  await addFault({ match: jump.match, kind: 'fail-before', status: 400, body: refused });
}

/** What is logged and counted after the backup is lost. */
async function restoreLater(run: Run, { pieces, haltMs }: Extract<Step, { kind: 'restore' }>): Promise<void> {
  const { stage } = run;
  const path = await backUp(stage);
  const ordered = Promise.withResolvers<void>();
  stage.worker.watchFor(ANY_ORDER, pieces, ordered.resolve);
  const later = async (): Promise<void> => {
    await Promise.race([ordered.promise, delay(RESTORE_MS * run.pace)]);
    const engagement = await inTurn(run, () => restore(stage, path, run.engagements));
    if (engagement === undefined) return;
    [run.killed, run.restored] = [true, true];
    await delay(haltMs * run.pace);
    await inTurn(run, () => release(stage, engagement));
    await stage.tell('halts-changed');
  };
  goOn(run, later());
}

function inTurn<Result>(run: Run, work: () => Promise<Result>): Promise<Result> {
  const next = run.halting.then(work);
  run.halting = next.catch(() => {});
  return next;
}

async function unguard(run: Run): Promise<void> {
  run.guarded = false;
  const config = sql<string>`jsonb_set(config, '{sell,protectiveStop}', '{"enabled": false}')`;
  await run.stage.database.kysely.updateTable('profiles').set({ config }).execute();
  await run.stage.tell('profiles-changed');
}

/** Asks as the api does; what is to be cancelled is looked for as long as an order is waited for. */
async function ask(run: Run, step: Extract<Step, { kind: 'ask' }>): Promise<void> {
  const { stage, pace } = run;
  const id = await stage.ask(step.action, step.payload);
  if (step.cancel) goOn(run, cancelByHand(stage, id, performance.now() + ORDER_MS * pace));
}

async function cancelByHand(stage: Stage, actionId: string, untilMs: number): Promise<void> {
  const resting = stage.database.kysely.selectFrom('orders').select('id').where('action_id', '=', actionId);
  for (; performance.now() < untilMs; await delay(50)) {
    const order = await resting.where('state', '=', 'open').executeTakeFirst();
    if (order !== undefined) return void (await stage.ask('cancel-order', { orderId: order.id }));
  }
}

async function atPiece(run: Run, { trigger, pieces, step }: Extract<Step, { kind: 'at' }>): Promise<void> {
  const acting = Promise.withResolvers<void>();
  let late = false;
  run.stage.worker.watchFor(trigger, pieces, () => {
    if (!late) acting.resolve(step === null ? Promise.resolve() : perform(run, step));
  });
  const waiting = new AbortController();
  const inVain = delay(ORDER_MS * run.pace, undefined, { signal: waiting.signal }).then(
    () => {
      late = true;
      run.reached = false;
    },
    () => acting.promise,
  );
  void acting.promise.finally(() => waiting.abort()).catch(() => {});
  await Promise.race([acting.promise, inVain]);
}

const subjectOf = ({ accountId, profileId }: Stage, scope: HaltScope): HaltSubject => ({
  scope,
  subject: { all: 'all', account: accountId, profile: profileId }[scope],
});

/** Engages a kill switch and remembers its place in the order of intents; undefined when it is engaged already. */
const engage = (run: Run, scope: HaltScope, freeze: boolean): Promise<Engagement | undefined> =>
  inTurn(run, () => engageNow(run, scope, freeze));

async function engageNow(run: Run, scope: HaltScope, freeze: boolean): Promise<Engagement | undefined> {
  const { stage, engagements } = run;
  if (engagements.some((each) => each.scope === scope && each.until === null)) return undefined;
  const subject = subjectOf(stage, scope);
  const engagement = await stage.database.transaction(async (transaction) => {
    await engageHalt(transaction, { ...subject, reason: 'drill', freeze, userId: null });
    const row = transaction.selectFrom('kill_switches').select('halt_order').where('scope', '=', scope);
    return { scope, freeze, from: BigInt((await row.executeTakeFirstOrThrow()).halt_order), until: null };
  });
  engagements.push(engagement);
  return engagement;
}

async function engageFor(run: Run, step: Extract<Step, { kind: 'engage' }>): Promise<void> {
  const { stage } = run;
  const engagement = await engage(run, step.scope, step.freeze);
  if (engagement === undefined) return;
  const tell = (): Promise<void> => (step.told ? stage.tell('halts-changed') : Promise.resolve());
  await tell();
  if (step.buys) await stage.ask('manual-order', MARKET_BUY);
  const released = delay(step.forMs).then(() => inTurn(run, () => release(stage, engagement)));
  goOn(run, released.then(tell));
}

/** The number is drawn while the key is still held: every intent after the release has a higher one. */
async function release(stage: Stage, engagement: Engagement): Promise<void> {
  // A restore has taken it away.
  if (engagement.until !== null) return;
  engagement.until = await stage.database.transaction(async (transaction) => {
    await releaseHalt(transaction, subjectOf(stage, engagement.scope));
    return nextHaltOrder(transaction);
  });
}

/**
 * No more faults and no more buys: every outcome must become known, the worker must go on deciding and guard what is held.
 * Then everything is sold by hand.
 */
async function settle(run: Run): Promise<void> {
  const { stage } = run;
  await Promise.all(run.later);
  await stage.control('DELETE', '/faults');
  await stage.control('DELETE', '/faults/events');
  await stage.worker.start();
  await engage(run, 'all', false);
  const nowMs = Date.now();
  await until('the worker to go on deciding', () => hasTicked(stage, nowMs), SETTLE_MS);
  await stage.stopMarket();
  let open: string[] = [];
  const settled = async (): Promise<boolean> => {
    await delay(LOOK_MS * run.pace);
    const ofOrders = [...(await openOutcomes(stage)), ...(await openActions(stage)), ...(await uncompared(stage))];
    open = [...ofOrders, ...(run.guarded ? await bareCoins(stage) : [])];
    return open.length === 0;
  };
  for (let sold = false; ; ) {
    await until('every outcome to be known', settled, SETTLE_MS).catch((error: unknown) => {
      throw new Error(`It does not come to rest: ${open.join('; ')}`, { cause: error });
    });
    if (!sold) {
      sold = true;
      for (const symbol of stage.symbols) await sellByHand(run, symbol);
      continue;
    }
    await stage.worker.stop();
    if ([...(await openOutcomes(stage)), ...(await uncompared(stage))].length === 0) return;
    // It was stopped while it moved a stop, or a restore came late: the next worker finds out what became of that.
    await stage.worker.start();
  }
}

/** Whether a tick after `wallMs` is recorded: ids of audits carry their wall time. */
async function hasTicked({ cache, profileId }: Stage, wallMs: number): Promise<boolean> {
  const [newest = ''] = await cache.newest(cacheKeys.tickTrace(profileId), 1);
  const id = /"id":"([0-9a-f-]+)"/.exec(newest)?.[1] ?? '';
  return Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16) > wallMs;
}

async function countUp({ database, paper }: Stage): Promise<Pick<Played, 'fills' | 'states'>> {
  const rows = await database.kysely.selectFrom('orders').select('state').execute();
  const states: Record<string, number> = {};
  for (const { state } of rows) states[state] = (states[state] ?? 0) + 1;
  return { fills: [...paper.venue.engine.orders.fillsByOwner.values()].flat().length, states };
}
