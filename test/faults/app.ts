import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '#test/flow/until.ts';

const ROOT = join(import.meta.dirname, '..', '..');
export type Part = 'worker' | 'api' | 'postgres';

interface AppOptions {
  readonly dataDir: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A started `npm start` without npm: the supervisor and everything below it as real processes. */
export interface App extends AsyncDisposable {
  readonly url: string;
  readonly supervisor: ChildProcess;
  readonly output: () => string;
  /** The process id of a part, when it runs. */
  pidOf(part: Part): number | undefined;
}

const MARKS: Readonly<Record<Part, string>> = {
  worker: 'worker/main.ts',
  api: 'api/main.ts',
  postgres: 'bin/postgres',
};

export async function startApp({ dataDir, args, env = {} }: AppOptions): Promise<App> {
  const argv = [join(ROOT, 'cli', 'main.ts'), 'start', '--data-dir', dataDir, '--no-open', ...args];
  const supervisor = spawn(process.execPath, argv, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [supervisor.stdout, supervisor.stderr]) stream.on('data', (chunk) => (text += String(chunk)));
  const url = await until(
    'the start to print its address',
    () => {
      if (supervisor.exitCode !== null) throw new Error(`The start ended with ${supervisor.exitCode}: ${text}`);
      return /Ready after [\d.]+ s: (\S+)/.exec(text)?.[1];
    },
    90_000,
  );
  return {
    url,
    supervisor,
    output: () => text,
    pidOf: (part) => childrenOf(supervisor.pid ?? 0).find((child) => child.command.includes(MARKS[part]))?.pid,
    async [Symbol.asyncDispose]() {
      if (supervisor.exitCode !== null || supervisor.signalCode !== null) return;
      supervisor.kill('SIGTERM');
      await once(supervisor, 'exit');
    },
  };
}

/** Direct children of a process, read from /proc. */
function childrenOf(parent: number): { pid: number; command: string }[] {
  const numbers = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return numbers.flatMap((name) => {
    try {
      const parts = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
      if (Number(parts[1]) !== parent || parts[0] === 'Z') return [];
      return [{ pid: Number(name), command: readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ') }];
    } catch {
      // It ended between the listing and the reading.
      return [];
    }
  });
}
