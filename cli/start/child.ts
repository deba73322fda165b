import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { Backoff } from './backoff.ts';
import { LogFile } from './log-file.ts';
import { type LogLine, readLogLine } from './log-line.ts';
import { StartProblem } from './start-problem.ts';
import type { Terminal } from './terminal.ts';

/** The flag that cli/bootstrap/pinned-node.js gives to this process. */
const memoryFlags = process.execArgv.filter((flag) => flag.startsWith('--max-semi-space-size='));

export interface ChildPlan {
  readonly name: string;
  /** Path of its main. */
  readonly main: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly logPath: string;
  /** Maximum time of a clean stop before the process is killed. */
  readonly stopLimitMs: number;
  /** Receives its messages. */
  readonly onMessage?: (message: unknown) => void;
}

/** EX_CONFIG of sysexits.h: starting again without another configuration would fail again. */
const badConfigurationCode = 78;
const startLimitMs = 60_000;
const pipesLimitMs = 500;
/** Maximum number of starts of a child that never became ready. */
const attemptLimit = 5;

/** A process of the service. It is restarted after a crash, until it is stopped. */
export class SupervisedChild implements AsyncDisposable {
  readonly #plan: ChildPlan;
  readonly #terminal: Terminal;
  readonly #log: LogFile;
  readonly #backoff = new Backoff();
  readonly #ready = Promise.withResolvers<void>();
  readonly #stop = new AbortController();
  #environment: Readonly<Record<string, string>>;
  #process: ChildProcess | undefined;
  #running: Promise<void>;
  #wasReady = false;
  /** Sent to it whenever it becomes ready. */
  #greeting: Readonly<Record<string, unknown>> | undefined;
  /** It ends because of `restartWith`. */
  #isRestarting = false;
  /** Its last error output, used as the cause when it ends. */
  #lastWord = '';

  constructor(plan: ChildPlan, terminal: Terminal) {
    this.#plan = plan;
    this.#terminal = terminal;
    this.#environment = plan.environment;
    this.#log = new LogFile(plan.logPath);
    this.#running = this.#run();
    // The caller that waits for readiness gets the error. Without a waiter, it must not end the supervisor.
    this.#ready.promise.catch(() => undefined);
  }

  /** Resolves when the child serves for the first time; rejects with StartProblem when it cannot, and then it is ended. */
  async ready(): Promise<void> {
    const timer = new AbortController();
    const tooLate = sleep(startLimitMs, undefined, { signal: timer.signal }).then(() => {
      this.#stop.abort();
      this.kill();
      throw new StartProblem(
        `The ${this.#plan.name} was not ready after ${startLimitMs / 1000} s; see ${this.#plan.logPath}.`,
      );
    });
    try {
      await Promise.race([this.#ready.promise, tooLate]);
    } finally {
      timer.abort();
      tooLate.catch(() => undefined);
    }
  }

  /** Restarts it with other settings, such as a database with another port; without settings, with the same. */
  restartWith(environment: Readonly<Record<string, string>> = this.#environment): void {
    this.#environment = environment;
    this.#isRestarting = true;
    this.#process?.kill('SIGTERM');
  }

  /** Sends it a message now, and again after each start. A process that ends for a restart does not get it. */
  greet(message: Readonly<Record<string, unknown>>): void {
    this.#greeting = message;
    if (this.#wasReady && !this.#isRestarting && this.#process?.connected === true) this.#process.send(message);
  }

  /** Kills it at once, right before this process ends. */
  kill(): void {
    this.#process?.kill('SIGKILL');
  }

  /** Stops it, and kills it when it does not stop in time. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    this.#ready.reject(new StartProblem(`The ${this.#plan.name} was stopped before it was ready.`));
    this.#process?.kill('SIGTERM');
    const force = setTimeout(() => this.kill(), this.#plan.stopLimitMs);
    await this.#running;
    clearTimeout(force);
    this.#log[Symbol.dispose]();
  }

  async #run(): Promise<void> {
    for (let attempt = 1; !this.#stop.signal.aborted; attempt += 1) {
      const startedMs = performance.now();
      const end = await this.#runOnce();
      if (this.#stop.signal.aborted) return;
      if (!this.#wasReady && (end.code === badConfigurationCode || attempt >= attemptLimit)) {
        this.#ready.reject(new StartProblem(this.#refusal(end)));
        return;
      }
      const pauseMs = this.#backoff.pauseAfter(performance.now() - startedMs);
      await sleep(pauseMs, undefined, { signal: this.#stop.signal }).catch(() => undefined);
      // Reported with a delay: a signal to the whole group ends children slightly before this process receives the stop.
      const isWanted = this.#isRestarting;
      this.#isRestarting = false;
      if (!this.#stop.signal.aborted && !isWanted)
        this.#report(`${this.#describe(end)}; restarting after ${pauseMs / 1000} s.`);
    }
  }

  #runOnce(): Promise<ChildEnd> {
    const { promise, resolve } = Promise.withResolvers<ChildEnd>();
    this.#lastWord = '';
    const child = spawn(process.execPath, [...memoryFlags, this.#plan.main, ...this.#plan.args], {
      env: this.#environment,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.#process = child;
    this.#read(child.stdout);
    this.#read(child.stderr);
    child.on('message', (message) => {
      if (isReady(message)) this.#becomeReady();
      else this.#plan.onMessage?.(message);
    });
    child.once('error', (error) => {
      if (child.pid === undefined) resolve({ code: null, signal: null, cause: error.message });
    });
    child.once('close', (code, signal) => resolve({ code, signal }));
    // The pipes close a little later, or never when one of its own children holds them open.
    child.once('exit', (code, signal) => setTimeout(() => resolve({ code, signal }), pipesLimitMs).unref());
    return promise;
  }

  #becomeReady(): void {
    this.#wasReady = true;
    this.#ready.resolve();
    if (this.#greeting !== undefined) this.#process?.send(this.#greeting);
  }

  #read(stream: Readable | null): void {
    if (stream === null) return;
    createInterface({ input: stream }).on('line', (line) => this.#receive(line));
  }

  #receive(line: string): void {
    this.#log.append(line);
    const read = readLogLine(line);
    if (read.kind === 'record' && !read.trouble) return;
    if (isSentence(read)) this.#lastWord = read.text;
    if (read.kind === 'record' && this.#wasReady) this.#terminal.trouble(this.#plan.name, read.text);
  }

  #report(text: string): void {
    this.#log.append(text);
    this.#terminal.trouble(this.#plan.name, text);
  }

  #refusal(end: ChildEnd): string {
    if (end.code === badConfigurationCode && this.#lastWord !== '') return this.#lastWord;
    return `The ${this.#plan.name} does not start: it ${this.#describe(end)}; see ${this.#plan.logPath}.`;
  }

  #describe(end: ChildEnd): string {
    const words = this.#lastWord === '' ? '' : ` (${this.#lastWord})`;
    if (end.cause !== undefined) return `could not be started: ${end.cause}`;
    return end.signal === null ? `ended with code ${end.code}${words}` : `was ended by ${end.signal}`;
  }
}

interface ChildEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly cause?: string;
}

/** Excludes stack frames and the lines that Node prints around them. */
function isSentence({ text }: LogLine): boolean {
  return text.trim() !== '' && !/^[\s{}^]|^node:|^Node\.js v/.test(text);
}

function isReady(message: unknown): boolean {
  return typeof message === 'object' && message !== null && 'ready' in message && message.ready === true;
}
