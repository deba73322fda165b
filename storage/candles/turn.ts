import { closeSync, mkdirSync, openSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const RENEW_EVERY_MS = 2_000;
const LOOK_EVERY_MS = 200;
/** A worker that has not renewed its turn for this long has died. */
const DEAD_AFTER_MS = 10_000;

const isTaken = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'EEXIST';

/**
 * The turn to fetch the candles of one folder, until it is disposed. Workers that share the folder wait for each other, so
 * that the next one finds what was fetched. A file is the lock: it reaches exactly those that share the folder. Whether
 * its owner lives is judged by changes of its time, so clocks need not agree. Two workers may both take over the turn of a
 * dead one: both then fetch, and no candle is lost.
 */
export async function takeTurn(folder: string, signal?: AbortSignal): Promise<Disposable> {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'fetching');
  let renewedMs: number | undefined;
  let seenMs = performance.now();
  while (!create(path)) {
    const nowMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
    if (nowMs !== renewedMs) seenMs = performance.now();
    else if (performance.now() - seenMs > DEAD_AFTER_MS) rmSync(path, { force: true });
    renewedMs = nowMs;
    await delay(LOOK_EVERY_MS, undefined, { signal });
  }
  const renewals = setInterval(() => renew(path), RENEW_EVERY_MS);
  return {
    [Symbol.dispose]() {
      clearInterval(renewals);
      rmSync(path, { force: true });
    },
  };
}

function create(path: string): boolean {
  try {
    closeSync(openSync(path, 'wx'));
    return true;
  } catch (error) {
    if (isTaken(error)) return false;
    throw error;
  }
}

function renew(path: string): void {
  const now = new Date();
  try {
    utimesSync(path, now, now);
  } catch {
    // Another worker has taken over.
  }
}
