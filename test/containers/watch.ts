import { setTimeout as delay } from 'node:timers/promises';
import { openOrdersAt } from './stack.ts';

/** The answers of page and exchange during some work. */
interface Watched {
  /** Longest time in ms during which no answer of the page was a 200. */
  readonly longestGapMs: number;
  /** Lists of open orders that the exchange answered. */
  readonly lists: number;
  /** Those without a stop, or without the waiting order. */
  readonly incomplete: readonly string[];
}

interface WatchInput {
  readonly url: string;
  /** The address of the paper exchange at this moment. */
  readonly exchange: () => Promise<string>;
  /** The kinds of order that must rest all the time, as `SIDE TYPE`. */
  readonly resting: readonly string[];
}

/** Requests the page and reads the open orders on the exchange four times a second while `work` runs. */
export async function watchDuring(
  work: () => Promise<unknown>,
  { url, exchange, resting }: WatchInput,
): Promise<Watched> {
  let over = false;
  const incomplete: string[] = [];
  let lists = 0;
  let longestGapMs = 0;
  let goodMs = performance.now();
  const page = async (): Promise<void> => {
    while (!over) {
      const ok = await fetch(`${url}/api/status`, { signal: AbortSignal.timeout(5000) }).then(
        (answer) => answer.ok,
        () => false,
      );
      const nowMs = performance.now();
      longestGapMs = Math.max(longestGapMs, nowMs - goodMs);
      if (ok) goodMs = nowMs;
      await delay(250);
    }
  };
  const orders = async (): Promise<void> => {
    let address: string | undefined;
    while (!over) {
      address ??= await exchange().catch(() => undefined);
      const open = address === undefined ? undefined : await openOrdersAt(address);
      // It was recreated: its address may be another one.
      if (open === undefined) address = undefined;
      else {
        lists += 1;
        const kinds = open.map(({ side, type }) => `${side} ${type}`);
        if (resting.some((kind) => !kinds.includes(kind))) incomplete.push(kinds.join(', '));
      }
      await delay(250);
    }
  };
  const watching = Promise.all([page(), orders()]);
  try {
    await work();
  } finally {
    over = true;
    await watching;
  }
  return { longestGapMs, lists, incomplete };
}
