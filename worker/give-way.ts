import { execFile } from 'node:child_process';
import { readlinkSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { basename } from 'node:path';

/**
 * Called in a thread that only computes: from then on it runs where nothing else wants to, so that live trading in the
 * same process never waits for it. Only Linux gives threads a priority of their own; elsewhere it would be the process's.
 */
export function giveWay(): void {
  if (process.platform !== 'linux') return;
  setPriority(constants.priority.PRIORITY_LOW);
  // A nice thread still ends its slice while a price waits; one of the idle class is set aside at once. Without chrt of
  // util-linux it stays nice.
  execFile('chrt', ['-i', '-p', '0', basename(readlinkSync('/proc/thread-self'))], () => {});
}
