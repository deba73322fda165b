import { setTimeout as delay } from 'node:timers/promises';

/** Asks again until the answer is defined and true; fails with a sentence when it never is. */
export async function until<Value>(
  what: string,
  ask: () => Promise<Value | undefined | false> | Value | undefined | false,
  limitMs = 90_000,
): Promise<Value> {
  const endMs = performance.now() + limitMs;
  for (;;) {
    const value = await ask();
    if (value !== undefined && value !== false) return value;
    if (performance.now() > endMs) throw new Error(`Waited ${limitMs} ms in vain: ${what}`);
    await delay(25);
  }
}
