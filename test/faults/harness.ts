import { parseEnvironment } from '#core/installation/env.ts';
import { openRelay, type Relay } from '#test/harness/test-outage.ts';
import { openWorker } from '#worker/worker.ts';
import { drillTiming } from './fault-table.ts';
import type { Recorder } from './recorder.ts';
import type { Trigger } from './schedule.ts';
import type { Trace } from './trace.ts';

/** Starts, stops and kills the worker of a run: one at a time. */
export interface WorkerHarness extends AsyncDisposable {
  /** Starts a worker and retries like the supervisor; throws after five failures. */
  start(): Promise<void>;
  /**
   * Acts like kill -9 seen from outside, at any await: from now on nothing of the worker reaches database or exchange.
   * The rest of the worker in this process is disposed of in the background.
   */
  kill(): void;
  stop(): Promise<void>;
  /** True while a worker runs: started, and neither killed nor stopped since. */
  isRunning(): boolean;
  /** Cuts the worker off its database; the returned function connects them again. */
  cutDatabase(): Promise<() => Promise<void>>;
  /** Calls `act` within the traffic: `pieces` pieces after the first match, before that piece is passed on. */
  watchFor(trigger: Trigger, pieces: number, act: () => void): void;
  /** First lines of all requests that create, replace or cancel an order, in the order of sending. */
  readonly sent: readonly string[];
}

interface HarnessOptions {
  readonly databaseUrl: string;
  readonly paperUrl: string;
  readonly trace: Trace;
  readonly pace: number;
  readonly recorder?: Recorder | undefined;
}

interface RunningWorker {
  readonly worker: AsyncDisposable;
  readonly database: Relay;
  readonly paper: Relay;
}

interface Watching {
  readonly link: Trigger['link'];
  readonly pattern: RegExp;
  /** Infinity until the first match. */
  left: number;
  readonly pieces: number;
  readonly act: () => void;
}

export function openHarness({ databaseUrl, paperUrl, trace, pace, recorder }: HarnessOptions): WorkerHarness {
  const relays = new AsyncDisposableStack();
  const disposals: Promise<unknown>[] = [];
  const watched = new Set<Watching>();
  const sent: string[] = [];
  let running: RunningWorker | null = null;

  const attempt = async (): Promise<RunningWorker> => {
    const database = relays.use(await openRelay(new URL(databaseUrl), (piece) => look(watched, 'database', piece)));
    const paper = relays.use(
      await openRelay(new URL(paperUrl), (piece, direction, connection) => {
        recorder?.onTraffic(piece, direction, connection);
        if (direction === 'out') sent.push(...writesOf(piece));
        look(watched, 'exchange', piece);
      }),
    );
    const env = parseEnvironment({
      DATABASE_URL: database.url,
      PAPER_URL: paper.url,
      WORKER_SLOT: 'faults',
      LOG_LEVEL: 'info',
    });
    const logTo = { write: (line: string) => trace.note(line.trimEnd()) };
    // These runs test no jobs, and polling for jobs costs as much as all trading.
    const settings = { timing: drillTiming(pace), logTo, takesJobs: false };
    return { worker: await openWorker(env, settings), database, paper };
  };
  const take = (): RunningWorker | null => {
    const taken = running;
    running = null;
    return taken;
  };
  const stop = async (): Promise<void> => {
    const worker = take()?.worker;
    if (worker !== undefined) await trace.during('stopping the worker', async () => worker[Symbol.asyncDispose]());
  };
  return {
    async start() {
      for (let tries = 1; running === null; tries++) {
        running = await trace.during('starting a worker', attempt).catch((error: unknown) => {
          if (tries === 5) throw error;
          return null;
        });
      }
    },
    kill() {
      const killed = take();
      if (killed === null) return;
      recorder?.note('killed');
      killed.database.sever();
      killed.paper.sever();
      disposals.push(
        trace.during('disposing of a killed worker', async () => killed.worker[Symbol.asyncDispose]()).catch(() => {}),
      );
    },
    async cutDatabase() {
      const relay = running?.database;
      await relay?.cut();
      return async () => relay?.restore();
    },
    watchFor: ({ link, pattern }, pieces, act) =>
      void watched.add({ link, pattern: new RegExp(pattern), left: Infinity, pieces, act }),
    ...{ stop, sent, isRunning: () => running !== null },
    async [Symbol.asyncDispose]() {
      await stop();
      await trace.during('waiting for killed workers', () => Promise.all(disposals));
      await relays.disposeAsync();
    },
  };
}

/** The first line of a request that creates, replaces or cancels an order. */
const writesOf = (piece: Buffer): readonly string[] =>
  /^(?:POST|DELETE) \/api\/v3\/order\S*/.exec(piece.toString('latin1')) ?? [];

/** Counts pieces of both links, in both directions: each piece ends one await of the worker and starts another. */
function look(watched: Set<Watching>, link: Trigger['link'], piece: Buffer): void {
  for (const watching of [...watched]) {
    if (watching.left !== Infinity) watching.left -= 1;
    else if (watching.link === link && watching.pattern.test(piece.toString('latin1'))) watching.left = watching.pieces;
    if (watching.left > 0) continue;
    watched.delete(watching);
    watching.act();
  }
}
