import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { readJson } from '#core/json.ts';

/** The folder with package.json; its packages are not those of the product. */
export const PROGRAMS = join(import.meta.dirname, 'programs');
const SCOPE = join(PROGRAMS, 'node_modules', '@modelcontextprotocol');
const ENTRIES = {
  conformance: join(SCOPE, 'conformance', 'dist', 'index.js'),
  inspector: join(SCOPE, 'inspector', 'clients', 'launcher', 'build', 'index.js'),
} as const;
const MAX_MINUTES = 5;

const versions = z.object({ dependencies: z.record(z.string(), z.string()) });
const found = z.object({ version: z.string() });
const readFile = (...path: string[]): unknown => {
  const name = join(...path);
  return existsSync(name) ? readJson(readFileSync(name, 'utf8')) : undefined;
};

/** Whether the conformance suite and the inspector are there in the versions of package.json. */
export function areInstalled(): boolean {
  const { dependencies } = versions.parse(readFile(PROGRAMS, 'package.json'));
  return Object.entries(dependencies).every(([name, version]) => {
    const installed = found.safeParse(readFile(PROGRAMS, 'node_modules', name, 'package.json')).data;
    return installed?.version === version;
  });
}

/** The reason to skip a test, false where the programs are installed. */
export const skipReason: string | false = areInstalled()
  ? false
  : 'the programs of the protocol are not installed: node cli/tradewind.js node test/mcp/install.ts brings them';

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

interface RunOptions {
  /** Working directory and home: the programs write files there. */
  readonly folder: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Runs a program until it ends; `out` and `err` are what it printed. */
export async function runProgram(
  name: keyof typeof ENTRIES,
  args: readonly string[],
  { folder, environment = {} }: RunOptions,
): Promise<Ended> {
  const child = spawn(process.execPath, [ENTRIES[name], ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, USERPROFILE: folder, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: MAX_MINUTES * 60_000,
  });
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code: child.exitCode, out, err };
}
