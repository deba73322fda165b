import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { ROOT } from '#test/harness/source-files.ts';

const ready = z.object({ rest: z.string(), ws: z.string() });

/** A server in a process of its own that has reported its addresses. */
export interface Program extends AsyncDisposable {
  readonly rest: string;
  readonly ws: string;
}

export async function startProgram(path: string, flags: readonly string[]): Promise<Program> {
  const child = spawn(process.execPath, [path, ...flags], { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: child.stdout })) {
    const stop = async (): Promise<void> => {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    };
    return { ...ready.parse(JSON.parse(line)), [Symbol.asyncDispose]: stop };
  }
  throw new Error(`${path} ended before it was ready.`);
}

/** A folder that is gone when this process ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tradewind-bench-'));
  process.on('exit', () => rmSync(folder, { recursive: true }));
  return folder;
}

/** The paper exchange with one account, on free ports. */
export function startPaperProgram(account: unknown, flags: readonly string[] = []): Promise<Program> {
  const accounts = join(temporaryFolder(), 'accounts.json');
  writeFileSync(accounts, JSON.stringify([account]));
  const ports = ['--port', '0', '--control-port', '0'];
  return startProgram(join(ROOT, 'paper', 'main.ts'), [...ports, '--accounts', accounts, ...flags]);
}
