import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { ROOT } from '#test/harness/source-files.ts';

/** One role of the service as a process, as the image and the units start it. */
export interface Role extends AsyncDisposable {
  readonly child: ChildProcess;
  /** Its output so far. */
  readonly output: () => string;
  /** Waits until the process has ended; the exit code. */
  ended(): Promise<number | null>;
  /** Sends a signal and returns the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Starts `tradewind ROLE` of a checkout or of a copy of its files, with nothing but this environment. */
export function startRole(role: string, env: Readonly<Record<string, string>>, folder = ROOT): Role {
  const child = spawn(process.execPath, ['cli/main.ts', role], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', NODE_ENV: 'production', GIT_SHA: '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let told = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      told += text;
    });
  const closed = once(child, 'close');
  const ended = async (): Promise<number | null> => {
    await closed;
    return child.exitCode;
  };
  const stop = (signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> => {
    child.kill(signal);
    return ended();
  };
  return { child, output: () => told, ended, stop, [Symbol.asyncDispose]: async () => void (await stop()) };
}
