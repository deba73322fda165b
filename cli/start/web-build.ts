import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { StartProblem } from './start-problem.ts';

/** Inputs of the web build: its room, the rooms it imports, its packages and the build settings. */
const ingredients = [
  'web',
  'core',
  'strategies',
  'backtest',
  'api/contract',
  'package-lock.json',
  'vite.config.ts',
  'tsconfig.json',
];

interface WebOrder {
  /** The checkout. */
  readonly root: string;
  readonly dataDir: string;
  readonly inherited: Readonly<Record<string, string | undefined>>;
  /** Aborts a running build. */
  readonly signal: AbortSignal;
}

interface WebBuild {
  readonly folder: string;
  /** False when the build already existed. */
  readonly built: boolean;
}

/** The web app of this version, built once and stored in the data folder. */
export async function buildWebApp(order: WebOrder): Promise<WebBuild> {
  const { root, dataDir } = order;
  const folder = join(dataDir, `web-${digestOf(root)}`);
  if (existsSync(join(folder, 'index.html'))) return { folder, built: false };
  const draft = join(dataDir, 'web-draft');
  rmSync(draft, { recursive: true, force: true });
  await runVite(order, draft);
  rmSync(folder, { recursive: true, force: true });
  renameSync(draft, folder);
  for (const name of readdirSync(dataDir)) {
    const outdated = /^web-[0-9a-f]{16}$/.test(name) && join(dataDir, name) !== folder;
    if (outdated) rmSync(join(dataDir, name), { recursive: true, force: true });
  }
  return { folder, built: true };
}

function digestOf(root: string): string {
  const hash = createHash('sha256');
  for (const path of ingredients.flatMap((name) => listFiles(root, name))) {
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update('\0');
  }
  return hash.digest('hex').slice(0, 16);
}

/** Paths below root in a fixed order, without tests. */
function listFiles(root: string, name: string): string[] {
  const path = join(root, name);
  if (!existsSync(path)) return [];
  if (/\.\w+$/.test(name)) return [name];
  return readdirSync(path, { withFileTypes: true })
    .flatMap((entry) => (entry.isDirectory() ? listFiles(root, join(name, entry.name)) : [join(name, entry.name)]))
    .filter((file) => !file.endsWith('.test.ts'))
    .sort();
}

async function runVite({ root, inherited, signal }: WebOrder, outDir: string): Promise<void> {
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  const flags = ['--outDir', outDir, '--emptyOutDir', '--logLevel', 'error', '--configLoader', 'native'];
  const child = spawn(process.execPath, [vite, 'build', ...flags], {
    cwd: root,
    env: { ...inherited, NO_COLOR: '1', FORCE_COLOR: undefined },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output = `${output}${String(chunk)}`.slice(-4000);
    });
  }
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  child.once('error', reject);
  child.once('close', resolve);
  const code = await promise;
  if (code !== 0) throw new StartProblem(`The web app could not be built: ${output.trim()}`);
}
