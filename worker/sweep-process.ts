import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import type { SweepRequest } from '#core/research/research.ts';
import { isObject } from '#core/merge.ts';
import type { Unit } from '#storage/research/research.ts';
import {
  type BacktestStart,
  type DryRunStart,
  type Prepared,
  ResearchRefused,
  USED_ALL_MEMORY,
} from '#worker/jobs/prepared.ts';

/** The parameter sets of a sweep unit, with their market data and config. */
export interface UnitStart {
  readonly kind: 'unit';
  /**
   * Where the process stores the result, with the name of the worker. Null for a strategy file, whose process must not
   * know a database: the worker then stores the result.
   */
  readonly database: { readonly url: string; readonly slot: string } | null;
  readonly unit: Unit;
  readonly request: SweepRequest;
  readonly prepared: Prepared;
  readonly sets: readonly unknown[];
}

/** The sweep whose stage is complete, and the database that holds it. */
export interface StageStart {
  readonly kind: 'stage';
  readonly databaseUrl: string;
  readonly sweepId: string;
  readonly warnings: readonly string[];
}

/** A backtest of a strategy file. */
interface FileBacktest {
  readonly kind: 'backtest';
  readonly start: BacktestStart;
}

/** A dry run of a strategy file. */
interface FileDryRun {
  readonly kind: 'dry-run';
  readonly start: DryRunStart;
}

export type SweepStart = UnitStart | StageStart | FileBacktest | FileDryRun;
export const isSweepStart = (value: unknown): value is SweepStart =>
  isObject(value) && ['unit', 'stage', 'backtest', 'dry-run'].includes(String(value['kind']));

/** Result: empty when done and stored, a refusal for the operator, or a failure to retry. */
export interface SweepAnswer {
  readonly refusal?: string;
  readonly failure?: string;
  /** The result of a unit or backtest that the worker stores. */
  readonly evaluated?: unknown;
}
class ProcessEnded extends Error {}

const isAnswer = (value: unknown): value is SweepAnswer => isObject(value);

const PROGRAM = new URL('./sweep-program.ts', import.meta.url);
/** Argument of a process whose results an operator waits for: its priority is not the lowest. */
export const WAITED = 'waited';
/** Where the launchers below are. */
const PATH_OF_PROGRAMS = '/usr/local/bin:/usr/bin:/bin';
/** The next unit of a sweep follows at once: an idle process only holds memory. */
const IDLE_MS = 20_000;

/**
 * Commands that start a program in the idle scheduling class, which runs only on unused processor time. With util-linux
 * the program also ends with this process. The first launcher that works on this machine is used.
 */
const LAUNCHERS = [['chrt', '-i', '0', 'setpriv', '--pdeathsig', 'KILL'], ['chrt', '-i', '0'], []] as const;

/** An operator waits for the result: it would not come while a browser keeps the processor busy. */
const LAUNCHERS_OF_WAITED = [['setpriv', '--pdeathsig', 'KILL'], []] as const;

/** Memory in MB of the process of strategy files. */
const MOST_MEMORY_MB = 1024;

const run = promisify(execFile);

async function findLauncher(waited: boolean): Promise<readonly string[]> {
  for (const launcher of waited ? LAUNCHERS_OF_WAITED : LAUNCHERS) {
    const [program, ...args] = [...launcher, process.execPath, '--version'];
    if (
      await run(program, args).then(
        () => true,
        () => false,
      )
    )
      return launcher;
  }
  return [];
}

/** The process that computes the sweeps of one worker. */
export interface SweepProcess extends AsyncDisposable {
  /**
   * Runs one task at a time, in the order of the calls. Rejects with ResearchRefused when strategy or data refuse;
   * rejects when aborted, or when the process ends before it has replied.
   */
  carryOut(start: SweepStart, signal: AbortSignal): Promise<unknown>;
}

/**
 * A separate process, started on demand. Computation, compilation and garbage collection in it never take a processor
 * from live trading; threads of one process would.
 */
export function createSweepProcess({ isolated = false, waited = false } = {}): SweepProcess {
  let child: ChildProcess | undefined;
  let launcher: Promise<readonly string[]> | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  let idle: NodeJS.Timeout | undefined;
  let closed = false;
  const end = async (): Promise<void> => {
    const ending = child;
    child = undefined;
    clearTimeout(idle);
    if (ending?.pid === undefined || hasEnded(ending)) return;
    const ended = once(ending, 'exit');
    ending.kill('SIGKILL');
    await ended;
  };
  const startProcess = async (): Promise<ChildProcess> => {
    launcher ??= findLauncher(waited);
    const [execPath, ...execArgv] = [...(await launcher), process.execPath];
    if (isolated) execArgv.push(`--max-old-space-size=${MOST_MEMORY_MB}`);
    if (closed) throw new Error('The worker is being closed.');
    // The environment of the worker contains the address of the database.
    const environment = isolated ? { env: { PATH: PATH_OF_PROGRAMS } } : {};
    const started = fork(PROGRAM, waited ? [WAITED] : [], {
      ...{ execPath, execArgv, ...environment },
      serialization: 'advanced',
    });
    // A running task receives the error through its own listener; an idle process is replaced by the next task.
    started.on('error', () => {});
    return started;
  };
  const carryOutNow = async (start: SweepStart, signal: AbortSignal): Promise<unknown> => {
    signal.throwIfAborted();
    clearTimeout(idle);
    if (child?.connected !== true || hasEnded(child)) child = await startProcess();
    try {
      return await request(child, start, signal);
    } catch (error) {
      // After an abort or an error the process may still be computing.
      if (!(error instanceof ResearchRefused)) await end();
      throw isolated && error instanceof ProcessEnded ? new ResearchRefused(USED_ALL_MEMORY) : error;
    } finally {
      idle = setTimeout(() => void end(), IDLE_MS).unref();
    }
  };
  return {
    carryOut(start, signal) {
      const carried = turn.then(() => carryOutNow(start, signal));
      turn = carried.catch(() => {});
      return carried;
    },
    async [Symbol.asyncDispose]() {
      closed = true;
      await end();
    },
  };
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;

async function request(child: ChildProcess, start: SweepStart, signal: AbortSignal): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const answered = (answer: unknown): void => {
    if (!isAnswer(answer)) return;
    const { refusal, failure, evaluated } = answer;
    if (refusal !== undefined) reject(new ResearchRefused(refusal));
    else if (failure === undefined) resolve(evaluated);
    else reject(new Error(failure));
  };
  const aborted = (): void => reject(signal.reason);
  const exited = (code: number | null): void => reject(new ProcessEnded(`The process of sweeps ended with ${code}.`));
  child.on('message', answered).on('error', reject).on('exit', exited);
  signal.addEventListener('abort', aborted, { once: true });
  try {
    signal.throwIfAborted();
    child.send(start);
    return await promise;
  } finally {
    child.off('message', answered).off('error', reject).off('exit', exited);
    signal.removeEventListener('abort', aborted);
  }
}
