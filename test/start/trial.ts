import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { until } from '#test/flow/until.ts';

export const ROOT = join(import.meta.dirname, '..', '..');
const BOOTSTRAP = join(ROOT, 'cli', 'tradewind.js');

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** A place for one start of the whole service, recognisable in every process that belongs to it. */
export class Trial implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'tradewind-start-'));
  readonly dataDir = join(this.folder, 'data');
  #started: Start[] = [];

  constructor() {
    chmodSync(this.folder, 0o711);
  }

  /** `tradewind ARGS` with a data folder, a free port and no browser. */
  start(args: readonly string[] = [], variables: Readonly<Record<string, string>> = {}): Start {
    const flags = ['--data-dir', this.dataDir, '--port', '0', '--no-open', ...args];
    return this.run(process.execPath, [BOOTSTRAP, 'start', ...flags], variables);
  }

  /** Any program, in a process group of its own as a terminal would start it. */
  run(program: string, args: readonly string[], variables: Readonly<Record<string, string>> = {}): Start {
    const child = spawn(program, args, {
      cwd: ROOT,
      // Empty counts as not set, and keeps a .env file of the checkout from setting it.
      env: { ...process.env, DATABASE_URL: '', CACHE_URL: '', TRADEWIND_TRIAL: this.folder, ...variables },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const start = new Start(child);
    this.#started.push(start);
    return start;
  }

  /** Command lines of everything that still runs of this trial, under any owner. */
  living(): string[] {
    const mark = basename(this.folder);
    return readdirSync('/proc').flatMap((pid) => {
      if (!/^\d+$/.test(pid)) return [];
      const command = readProcess(pid, 'cmdline');
      const ours = command !== '' && (command.includes(mark) || readProcess(pid, 'environ').includes(mark));
      return ours ? [command.replaceAll('\0', ' ')] : [];
    });
  }

  async nothingLives(): Promise<void> {
    await until(`the end of all processes of ${this.folder}`, () => this.living().length === 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { child } of this.#started) {
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
        process.kill(-child.pid, 'SIGTERM');
    }
    await this.nothingLives();
    rmSync(this.folder, { recursive: true });
  }
}

/** One started program and what it says. */
export class Start {
  readonly child: ChildProcess;
  readonly #ended: Promise<Ended>;
  #output = '';

  constructor(child: ChildProcess) {
    this.child = child;
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (this.#output += String(chunk)));
    this.#ended = once(child, 'close').then(() => ({ code: child.exitCode, output: this.#output }));
  }

  get output(): string {
    return this.#output;
  }

  ended(): Promise<Ended> {
    return this.#ended;
  }

  /** The address that it prints when everything serves. */
  url(limitMs = 300_000): Promise<string> {
    return until(
      'the start to print its address',
      () => {
        if (this.child.exitCode !== null)
          throw new Error(`The start ended with ${this.child.exitCode}: ${this.#output}`);
        return /^Ready after [\d.]+ s: (\S+)$/m.exec(this.#output)?.[1];
      },
      limitMs,
    );
  }

  /** A signal as the terminal sends it: to every process of the group. */
  signalGroup(signal: NodeJS.Signals): void {
    if (this.child.pid !== undefined) process.kill(-this.child.pid, signal);
  }
}

/** Id of the supervisor below a bootstrap, directly or behind npm and its shell. */
export function findSupervisor(trial: Trial): number {
  const pid = readdirSync('/proc').find((name) => {
    const parts = /^\d+$/.test(name) ? readProcess(name, 'cmdline').split('\0') : [];
    return parts.some((part) => part.endsWith('cli/main.ts')) && parts.includes(trial.dataDir);
  });
  if (pid === undefined) throw new Error('No supervisor runs.');
  return Number(pid);
}

function readProcess(pid: string, file: 'cmdline' | 'environ'): string {
  try {
    return readFileSync(join('/proc', pid, file), 'utf8');
  } catch {
    return '';
  }
}
