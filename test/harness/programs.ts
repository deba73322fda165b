import { accessSync, constants, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { ROOT } from './source-files.ts';

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The full path of the first of `names` that the machine has. */
export const findProgram = (names: readonly string[]): string | undefined =>
  names
    .flatMap((name) => (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, name)))
    .find(isExecutable);

/** Chromium or a browser built from it; TEST_BROWSER names another one. */
export const findBrowser = (): string | undefined =>
  process.env['TEST_BROWSER'] ?? findProgram(['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']);

/** The script behind a command of an installed package, to be run with this Node. */
export function toolScript(packageName: string, command: string): string {
  const folder = join(ROOT, 'node_modules', packageName);
  const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const bin = typeof manifest === 'object' && manifest !== null && 'bin' in manifest ? manifest.bin : undefined;
  const file: unknown = typeof bin === 'object' && bin !== null ? Reflect.get(bin, command) : bin;
  if (typeof file !== 'string') throw new Error(`The package ${packageName} has no command "${command}".`);
  return join(folder, file);
}
