import { setPriority } from 'node:os';

const NICE = 5;

/**
 * Lowers the scheduling weight of the calling thread to a third. Its computation then does not delay live trading in
 * the same process. Only Linux has priorities per thread; elsewhere the call would change the whole process.
 */
export function lowerPriority(): void {
  if (process.platform === 'linux') setPriority(NICE);
}
