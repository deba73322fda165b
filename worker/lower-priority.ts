import { setPriority } from 'node:os';

const NICE = 5;

/**
 * Called in a thread that computes what somebody waits for, so that live trading in the same process does not wait for
 * it: it weighs a third from then on. Only Linux gives threads a priority of their own; elsewhere it would be the
 * process's.
 */
export function lowerPriority(): void {
  if (process.platform === 'linux') setPriority(NICE);
}
