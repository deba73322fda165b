import { parseEnvironment } from '#core/installation/env.ts';
import { openRelay, type Relay } from '#test/harness/test-outage.ts';
import { openWorker } from '#worker/worker.ts';
import { drillTiming } from './fault-table.ts';
import type { Trigger } from './schedule.ts';
import type { Trail } from './trail.ts';

/** The place of the worker: one at a time. */
export interface WorkerSeat extends AsyncDisposable {
  /** Starts a worker, again and again until it has started, as the supervisor would. */
  start(): Promise<void>;
  /**
   * What kill -9 looks like from outside, at any await: from this moment on nothing of the worker reaches database or
   * exchange. What is left of it in this process is disposed of meanwhile.
   */
  kill(): void;
  stop(): Promise<void>;
  /** A worker has started and was neither killed nor stopped since. */
  isTaken(): boolean;
  /** The worker's database goes away, and comes back when the returned function is called. */
  cutDatabase(): Promise<() => Promise<void>>;
  /** Calls `act` in the middle of the traffic: before the piece that is `pieces` after the first that fits is passed on. */
  watchFor(trigger: Trigger, pieces: number, act: () => void): void;
  /** The first lines of all requests that were to change an order, in the order in which they were sent. */
  readonly sent: readonly string[];
}

interface SeatSettings {
  readonly databaseUrl: string;
  readonly paperUrl: string;
  readonly trail: Trail;
  readonly pace: number;
}

interface Seated {
  readonly worker: AsyncDisposable;
  readonly database: Relay;
  readonly paper: Relay;
}

interface Watching {
  readonly link: Trigger['link'];
  readonly pattern: RegExp;
  /** Infinity until the first piece that fits. */
  left: number;
  readonly pieces: number;
  readonly act: () => void;
}

export function openSeat({ databaseUrl, paperUrl, trail, pace }: SeatSettings): WorkerSeat {
  const relays = new AsyncDisposableStack();
  const graves: Promise<unknown>[] = [];
  const watched = new Set<Watching>();
  const sent: string[] = [];
  let seated: Seated | null = null;

  const attempt = async (): Promise<Seated> => {
    const database = relays.use(await openRelay(new URL(databaseUrl), (piece) => look(watched, 'database', piece)));
    const paper = relays.use(
      await openRelay(new URL(paperUrl), (piece, direction) => {
        const [line] = /^(?:POST|DELETE) \/api\/v3\/order\S*/.exec(piece.toString('latin1')) ?? [];
        if (direction === 'out' && line !== undefined) sent.push(line);
        look(watched, 'exchange', piece);
      }),
    );
    const env = parseEnvironment({
      DATABASE_URL: database.url,
      PAPER_URL: paper.url,
      WORKER_SLOT: 'faults',
      LOG_LEVEL: 'info',
    });
    const logTo = { write: (line: string) => trail.note(line.trimEnd()) };
    // Jobs are not what is drilled, and looking for them costs as much as all trading.
    const settings = { timing: drillTiming(pace), logTo, takesJobs: false };
    return { worker: await openWorker(env, settings), database, paper };
  };
  const take = (): Seated | null => {
    const taken = seated;
    seated = null;
    return taken;
  };
  const stop = async (): Promise<void> => {
    const worker = take()?.worker;
    if (worker !== undefined) await trail.during('stopping the worker', async () => worker[Symbol.asyncDispose]());
  };
  return {
    async start() {
      for (let tries = 1; seated === null; tries++) {
        seated = await trail.during('starting a worker', attempt).catch((error: unknown) => {
          if (tries === 5) throw error;
          return null;
        });
      }
    },
    kill() {
      const killed = take();
      if (killed === null) return;
      killed.database.sever();
      killed.paper.sever();
      graves.push(trail.during('burying a worker', async () => killed.worker[Symbol.asyncDispose]()).catch(() => {}));
    },
    async cutDatabase() {
      const relay = seated?.database;
      await relay?.cut();
      return async () => relay?.restore();
    },
    watchFor: ({ link, pattern }, pieces, act) =>
      void watched.add({ link, pattern: new RegExp(pattern), left: Infinity, pieces, act }),
    ...{ stop, sent, isTaken: () => seated !== null },
    async [Symbol.asyncDispose]() {
      await stop();
      await trail.during('waiting for buried workers', () => Promise.all(graves));
      await relays.disposeAsync();
    },
  };
}

/** Pieces of both links count, in both directions: each is the end of one await of the worker and the begin of another. */
function look(watched: Set<Watching>, link: Trigger['link'], piece: Buffer): void {
  for (const watching of [...watched]) {
    if (watching.left !== Infinity) watching.left -= 1;
    else if (watching.link === link && watching.pattern.test(piece.toString('latin1'))) watching.left = watching.pieces;
    if (watching.left > 0) continue;
    watched.delete(watching);
    watching.act();
  }
}
