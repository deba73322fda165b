import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a missing folder with `mode`, and its missing parent folders with `outerMode`. One folder at a time:
 * Node's recursive form never returns where the kernel answers ENOENT to mkdir, as in /proc. Throws what mkdir throws.
 */
export function makeFolder(path: string, mode: number, outerMode = mode): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path), outerMode);
  mkdirSync(path, { mode });
}
