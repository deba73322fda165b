import { setTimeout as delay } from 'node:timers/promises';

/** Calls `read` until its value is defined and not false; throws with a sentence after `limitMs`. */
export async function until<Value>(
  what: string,
  read: () => Promise<Value | undefined | false> | Value | undefined | false,
  limitMs = 90_000,
): Promise<Value> {
  const endMs = performance.now() + limitMs;
  for (;;) {
    const value = await read();
    if (value !== undefined && value !== false) return value;
    if (performance.now() > endMs) throw new Error(`Waited ${limitMs} ms without success: ${what}`);
    await delay(25);
  }
}
