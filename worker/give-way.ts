import { constants, setPriority } from 'node:os';

/**
 * Called in a thread that only computes: from then on it runs where nothing else wants to, so that live trading in the
 * same process never waits for it. Only Linux gives threads a priority of their own; elsewhere it would be the process's.
 */
export function giveWay(): void {
  if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW);
}
