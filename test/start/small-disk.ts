import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Trial } from './trial.ts';

/** A disk can only be mounted by root, and not in every container. */
export function noDiskReason(): string | false {
  try {
    execFileSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'], { stdio: 'pipe' });
    return false;
  } catch (error) {
    return `no disk can be mounted here: ${String(error).split('\n')[0]}`;
  }
}

/** A disk of so many MB in the folder of a trial. The database runs under another user, which may enter it. */
export function smallDisk(stack: DisposableStack, trial: Trial, megabytes: number): string {
  const folder = join(trial.folder, 'small');
  mkdirSync(folder);
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0711`, 'tmpfs', folder]);
  stack.defer(() => execFileSync('umount', ['--lazy', folder]));
  return folder;
}
