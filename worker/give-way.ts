import { execFile } from 'node:child_process';
import { readlinkSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { basename } from 'node:path';

/** For a backtest somebody waits, for a sweep nobody does. */
type Haste = 'awaited' | 'unattended';
const NICE = { awaited: 5, unattended: constants.priority.PRIORITY_LOW } as const;

/**
 * Called in a thread that only computes, so that live trading in the same process does not wait for it: what is awaited
 * weighs a third from then on, the rest runs where nothing else wants to. Only Linux gives threads a priority of their
 * own; elsewhere it would be the process's.
 */
export function giveWay(haste: Haste): void {
  if (process.platform !== 'linux') return;
  setPriority(NICE[haste]);
  if (haste === 'awaited') return;
  // A nice thread still ends its slice while a price waits; one of the idle class is set aside at once. Without chrt of
  // util-linux it stays nice.
  execFile('chrt', ['-i', '-p', '0', basename(readlinkSync('/proc/thread-self'))], () => {});
}
