import { setTimeout as delay } from 'node:timers/promises';
import { cacheKeys } from '#core/cache-keys.ts';
import type { HaltScope } from '#core/halts.ts';
import { engageHalt, type HaltSubject, releaseHalt } from '#storage/halts.ts';
import { sql } from 'kysely';
import { until } from '../flow/until.ts';
import { assertConsistent, type Engagement, openOutcomes } from './oracle.ts';
import { describeSchedule, drawSchedule, type Schedule, type Step } from './schedule.ts';
import { openTrail, type Trail } from './trail.ts';
import { openStage, type Stage } from './stage.ts';

/** Longest wait for both sides to agree after the last fault: certainty, restarts and their pauses. */
const SETTLE_MS = 20_000;
/** Longest time for a whole run, start and end included. */
const RUN_MS = 120_000;

export interface Played {
  readonly seed: number;
  readonly fills: number;
  /** Stored orders by their last state. */
  readonly states: Readonly<Record<string, number>>;
  readonly engagements: number;
  readonly wallMs: number;
}

/** Plays the schedule of a seed and judges it. An error names the seed and lists the schedule. */
export async function playSeed(seed: number): Promise<Played> {
  const schedule = drawSchedule(seed);
  const trail = openTrail();
  try {
    return await inTime(play(schedule, trail));
  } catch (error) {
    const { message } = error instanceof Error ? error : new Error(String(error));
    throw new Error(
      `${message}\n${await trail.tell()}\nTo play it again: npm run faults -- --seed ${seed}\n${describeSchedule(schedule)}`,
      {
        cause: error,
      },
    );
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
  readonly engagements: Engagement[];
  /** What a step has begun and the schedule does not wait for. */
  readonly later: Promise<void>[];
  killed: boolean;
}

async function play(schedule: Schedule, trail: Trail): Promise<Played> {
  const startedMs = performance.now();
  await using stage = await trail.during('opening the stage', () => openStage(schedule, trail));
  const run: Run = { stage, engagements: [], later: [], killed: false };
  await stage.worker.start();
  await until('the first decision', () => hasTicked(stage, 0));
  const beganMs = performance.now();
  for (const { atMs, step } of schedule.steps) {
    await delay(Math.max(0, beganMs + atMs - performance.now()));
    await trail.during(JSON.stringify(step), () => perform(run, step));
  }
  await delay(Math.max(0, beganMs + schedule.lengthMs - performance.now()));
  await trail.during('settling', () => settle(run));
  await trail.during('judging', () => assertConsistent(stage, run));
  const wallMs = Math.round(performance.now() - startedMs);
  return { seed: schedule.seed, ...(await countUp(stage)), engagements: run.engagements.length - 1, wallMs };
}

async function perform(run: Run, step: Step): Promise<void> {
  const { stage } = run;
  switch (step.kind) {
    case 'fault':
      return stage.addFault(step.fault);
    case 'drop-streams':
      return stage.dropStreams();
    case 'drop-connections':
      return stage.dropConnections();
    case 'kill-worker':
      run.killed = true;
      stage.worker.kill();
      await delay(step.downMs);
      return stage.worker.start();
    case 'engage':
      return engageFor(run, step);
  }
}

const subjectOf = ({ accountId, profileId }: Stage, scope: HaltScope): HaltSubject => ({
  scope,
  subject: { all: 'all', account: accountId, profile: profileId }[scope],
});

/** Engages a kill switch and remembers its place in the order of intents; undefined when it is engaged already. */
async function engage(run: Run, scope: HaltScope, freeze: boolean): Promise<Engagement | undefined> {
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
  const tell = (): Promise<void> => (step.told ? stage.tellHalts() : Promise.resolve());
  await tell();
  run.later.push(
    delay(step.forMs)
      .then(() => release(stage, engagement))
      .then(tell),
  );
}

/** The number is drawn while the key is still held: every intent after the release has a higher one. */
async function release(stage: Stage, engagement: Engagement): Promise<void> {
  engagement.until = await stage.database.transaction(async (transaction) => {
    await releaseHalt(transaction, subjectOf(stage, engagement.scope));
    const { rows } = await sql<{ number: string }>`select nextval('halt_order') as number`.execute(transaction);
    return BigInt(rows[0]?.number ?? 0);
  });
}

/** No more faults and no more orders: every outcome must become known, and the worker must go on deciding. */
async function settle(run: Run): Promise<void> {
  const { stage } = run;
  await Promise.all(run.later);
  await stage.clearFaults();
  await stage.worker.start();
  await engage(run, 'all', true);
  let open: string[] = [];
  const settled = async (): Promise<boolean> => {
    open = await openOutcomes(stage);
    return open.length === 0;
  };
  await until('every outcome to be known', settled, SETTLE_MS).catch((error: unknown) => {
    throw new Error(`Orders stay open: ${open.join('; ')}`, { cause: error });
  });
  const nowMs = Date.now();
  await until('the worker to go on deciding', () => hasTicked(stage, nowMs), SETTLE_MS);
  await stage.worker.stop();
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
  return { fills: [...paper.venue.floor.orders.fillsByOwner.values()].flat().length, states };
}
