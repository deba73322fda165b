import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { z } from 'zod';
import { pythonProgram, type PythonTool } from './python.ts';
import { KEYS, type ClientExchange } from './client-exchange.ts';

/** For how long a client runs; five minutes show more than the default, which is for every run of the tests. */
export const CLIENT_SECONDS = Number(process.env['CLIENT_SECONDS'] ?? 20);
/** Time for a client to start and stop, even on a busy machine. */
const EXTRA_SECONDS = 240;

interface PythonRun<Summary> {
  readonly tool: PythonTool;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Of the JSON that the program writes to SUMMARY_FILE. */
  readonly summary: z.ZodType<Summary>;
}

export const scriptPath = (name: string): string => join(import.meta.dirname, 'python', name);

/** Runs the Python of a tool against an exchange and returns its output and the summary that it writes at the end. */
export async function runPython<Summary>(
  { venue }: ClientExchange,
  { tool, args, cwd, summary }: PythonRun<Summary>,
): Promise<{ readonly summary: Summary; readonly output: string }> {
  const { apiKey, secret } = KEYS.HMAC;
  const folder = await mkdtemp(join(tmpdir(), `${tool}-summary-`));
  const file = join(folder, 'summary.json');
  try {
    const child = spawn(pythonProgram(tool, 'python') ?? '', args, {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: (CLIENT_SECONDS + EXTRA_SECONDS) * 1000,
      env: {
        ...process.env,
        ...{ API_KEY: apiKey, API_SECRET: secret, REST_URL: venue.rest, WS_URL: venue.ws, SUMMARY_FILE: file },
        ...{ CLIENT_SECONDS: String(CLIENT_SECONDS), PYTHONDONTWRITEBYTECODE: '1', COLUMNS: '400' },
      },
    });
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    const output = `${stdout}\n${stderr}`;
    const written = await readFile(file, 'utf8').catch(() => undefined);
    if (written === undefined)
      throw new Error(`${tool} ended with code ${child.exitCode} and without a summary:\n${output.slice(-8000)}`);
    return { summary: summary.parse(JSON.parse(written)), output };
  } finally {
    await rm(folder, { recursive: true });
  }
}
