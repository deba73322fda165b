import { setTimeout as delay } from 'node:timers/promises';
import { paceNow } from './pace.ts';
import { type LoggedStep, openProtocolLog, type ProtocolLog } from './protocol-log.ts';
import { createRecorder, type SeenStep } from './recorder.ts';
import { type RunOptions, type RunResult, runSchedule } from './run-schedule.ts';
import { openSandbox, type Sandbox } from './sandbox.ts';
import { describeSchedule, drawSchedule } from './schedule.ts';
import { openTrace } from './trace.ts';

/** Longest time for a whole run, start and end included. */
const RUN_MS = 150_000;
/** Attempts until the order that a cell needs appears, which depends on the market and the clock. */
const TRIES = 3;

/** The protocol steps of a run: those of the database, and those that only the exchange or the harness sees. */
export interface RecordedRun {
  readonly seed: number;
  readonly pace: number;
  readonly logged: readonly LoggedStep[];
  readonly seen: readonly SeenStep[];
}

/** Runs the schedules of seeds, each in a free sandbox. */
export interface Pool extends AsyncDisposable {
  /** Runs the schedule of a seed and checks the result. An error names the seed and lists the schedule. */
  run(seed: number): Promise<RunResult>;
}

/** `onRecorded` receives the steps of every run, also of one that failed, before the next run starts. */
export function openPool(onRecorded?: (run: RecordedRun) => void): Pool {
  const sandboxes = new AsyncDisposableStack();
  const free: { readonly sandbox: Sandbox; readonly log: ProtocolLog | undefined }[] = [];
  const openPlace = async () => {
    const sandbox = sandboxes.use(await openSandbox());
    return { sandbox, log: onRecorded === undefined ? undefined : await openProtocolLog(sandbox.database) };
  };
  return {
    async run(seed) {
      for (let left = TRIES; ; left--) {
        const place = free.pop() ?? (await openPlace());
        const { sandbox, log } = place;
        await log?.clear();
        const recorder = log && createRecorder();
        const pace = paceNow();
        let result: RunResult;
        try {
          result = await runSeed(seed, { sandbox, recorder, pace });
        } finally {
          if (log !== undefined && recorder !== undefined)
            onRecorded?.({ seed, pace, logged: await log.read(), seen: recorder.steps });
        }
        // Not reached after a failure: work that hangs may still use the sandbox.
        await sandbox.clear();
        free.push(place);
        if (result.reached || left === 1) return result;
      }
    },
    [Symbol.asyncDispose]: () => sandboxes.disposeAsync(),
  };
}

async function runSeed(seed: number, options: Omit<RunOptions, 'trace'>): Promise<RunResult> {
  const schedule = drawSchedule(seed);
  const trace = openTrace();
  try {
    return await withTimeout(runSchedule(schedule, { ...options, trace }));
  } catch (error) {
    const { message } = error instanceof Error ? error : new Error(String(error));
    const lines = [message, await trace.report(), `To run it again: npm run faults -- --seed ${seed}`];
    throw new Error([...lines, describeSchedule(schedule)].join('\n'), { cause: error });
  }
}

async function withTimeout(run: Promise<RunResult>): Promise<RunResult> {
  const stop = new AbortController();
  const late = delay(RUN_MS, undefined, { signal: stop.signal }).then((): never => {
    throw new Error(`The run did not end within ${RUN_MS} ms.`);
  });
  try {
    return await Promise.race([run, late]);
  } finally {
    stop.abort();
  }
}
