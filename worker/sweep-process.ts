import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import type { SweepRequest } from '#core/research/research.ts';
import { isObject } from '#core/merge.ts';
import type { Unit } from '#storage/research/research.ts';
import { type Prepared, ResearchRefused } from '#worker/jobs/prepared.ts';

/** The sets of a unit of a sweep, and what they are tried on. */
export interface UnitStart {
  readonly kind: 'unit';
  readonly databaseUrl: string;
  readonly unit: Unit;
  /** Names the worker that has done it. */
  readonly slot: string;
  readonly request: SweepRequest;
  readonly prepared: Prepared;
  readonly sets: readonly unknown[];
}

/** Which stage of a sweep is to be ended, and where it is stored. */
export interface StageStart {
  readonly kind: 'stage';
  readonly databaseUrl: string;
  readonly sweepId: string;
}

export type SweepStart = UnitStart | StageStart;
export const isSweepStart = (value: unknown): value is SweepStart =>
  isObject(value) && (value['kind'] === 'unit' || value['kind'] === 'stage');

/** How it ended: done and stored, refused with a sentence for the operator, or failed, to be tried again. */
export interface SweepAnswer {
  readonly refusal?: string;
  readonly failure?: string;
}
const isAnswer = (value: unknown): value is SweepAnswer => isObject(value);

const PROGRAM = new URL('./sweep-program.ts', import.meta.url);
/** The next unit of a sweep follows at once: a process that waits longer holds memory for nothing. */
const IDLE_MS = 20_000;

/**
 * What starts a program of the idle class, which runs only where nothing else wants to and is set aside at once: with
 * util-linux also one that dies with this process. Each process is started by the first of them that works here.
 */
const LAUNCHERS = [['chrt', '-i', '0', 'setpriv', '--pdeathsig', 'KILL'], ['chrt', '-i', '0'], []] as const;

const run = promisify(execFile);

async function findLauncher(): Promise<readonly string[]> {
  for (const launcher of LAUNCHERS) {
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

/** Where the sweeps of one worker compute. */
export interface SweepProcess extends AsyncDisposable {
  /**
   * Does one thing at a time, in the order of the calls. Rejects with ResearchRefused when strategy or data refuse, and
   * when aborted or the process ends before it has answered.
   */
  carryOut(start: SweepStart, signal: AbortSignal): Promise<void>;
}

/**
 * A process of its own, begun when it is needed: what computes, what compiles it and what collects its garbage never
 * take a processor from live trading, which threads of one process would share with it.
 */
export function createSweepProcess(): SweepProcess {
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
  const begin = async (): Promise<ChildProcess> => {
    launcher ??= findLauncher();
    const [execPath, ...execArgv] = [...(await launcher), process.execPath];
    if (closed) throw new Error('The worker is being closed.');
    const begun = fork(PROGRAM, { execPath, execArgv, serialization: 'advanced' });
    // Whoever asks is told; while nobody does the next one begins another.
    begun.on('error', () => {});
    return begun;
  };
  const carryOutNow = async (start: SweepStart, signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    clearTimeout(idle);
    if (child?.connected !== true || hasEnded(child)) child = await begin();
    try {
      await ask(child, start, signal);
    } catch (error) {
      // Aborted or broken, it may still be computing.
      if (!(error instanceof ResearchRefused)) await end();
      throw error;
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

async function ask(child: ChildProcess, start: SweepStart, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const answered = (answer: unknown): void => {
    if (!isAnswer(answer)) return;
    const { refusal, failure } = answer;
    if (refusal !== undefined) reject(new ResearchRefused(refusal));
    else if (failure === undefined) resolve();
    else reject(new Error(failure));
  };
  const aborted = (): void => reject(signal.reason);
  const exited = (code: number | null): void => reject(new Error(`The process of sweeps ended with ${code}.`));
  child.on('message', answered).on('error', reject).on('exit', exited);
  signal.addEventListener('abort', aborted, { once: true });
  try {
    signal.throwIfAborted();
    child.send(start);
    await promise;
  } finally {
    child.off('message', answered).off('error', reject).off('exit', exited);
    signal.removeEventListener('abort', aborted);
  }
}
