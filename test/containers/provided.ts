import { appendFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Downloads and builds of the tiers, by version; outside of the checkout, so that another checkout finds them too. */
export const CACHE = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'tradewind-deploy');

/** The path of `CACHE/name`, which `make` writes unless an earlier run has; half of one never stays. */
export async function kept(name: string, make: (path: string) => Promise<unknown>): Promise<string> {
  const path = join(CACHE, name);
  if (existsSync(path)) return path;
  mkdirSync(CACHE, { recursive: true });
  const partial = `${path}.${process.pid}.part`;
  try {
    await make(partial);
    renameSync(partial, path);
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
  return path;
}

/** Adds a program and its version to the table that `npm run test:deploy` prints. */
export function noteVersion(text: string): void {
  const file = process.env['TIER_VERSIONS'];
  if (file !== undefined) appendFileSync(file, `${text}\n`);
}

/** Resolves to false, or to the reason why a step is skipped, which it prints. */
export async function reasonToSkip(what: string, provide: () => Promise<unknown>): Promise<string | false> {
  try {
    await provide();
    return false;
  } catch (error) {
    const reason = (error instanceof Error ? error.message : String(error)).trim();
    console.log(`﹣ ${what} is not tested here: ${reason}`);
    return reason.split('\n').filter(Boolean).slice(0, 2).join(': ');
  }
}
