import { setTimeout as delay } from 'node:timers/promises';
import { openOrdersAt } from './stack.ts';

/** Requests that are under way at a time. */
const VISITORS = 8;

/** The answers of page and exchange during some work. */
interface Watched {
  /** Requests through the proxy that were answered, whatever the answer. */
  readonly answers: number;
  /** Longest time in ms during which no answer of the page was a 200. */
  readonly longestGapMs: number;
  /** Longest time in ms from a 502 or 504 of the proxy to the next 200. */
  readonly longestBadGatewayMs: number;
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

/** Requests the page by several visitors and reads the open orders on the exchange while `work` runs. */
export async function watchDuring(
  work: () => Promise<unknown>,
  { url, exchange, resting }: WatchInput,
): Promise<Watched> {
  let over = false;
  const incomplete: string[] = [];
  let lists = 0;
  let answers = 0;
  let longestGapMs = 0;
  let longestBadGatewayMs = 0;
  let goodMs = performance.now();
  let badGatewayMs: number | undefined;
  const visitor = async (): Promise<void> => {
    while (!over) {
      const code = await fetch(`${url}/api/status`, { signal: AbortSignal.timeout(5000) }).then(
        async (answer) => (await answer.arrayBuffer(), answer.status),
        () => undefined,
      );
      const nowMs = performance.now();
      longestGapMs = Math.max(longestGapMs, nowMs - goodMs);
      if (code === 200) goodMs = nowMs;
      if (code !== undefined) answers += 1;
      if (code === 502 || code === 504) badGatewayMs ??= nowMs;
      if (badGatewayMs !== undefined) longestBadGatewayMs = Math.max(longestBadGatewayMs, nowMs - badGatewayMs);
      if (code === 200) badGatewayMs = undefined;
      await delay(100);
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
  const watching = Promise.all([...Array.from({ length: VISITORS }, visitor), orders()]);
  try {
    await work();
  } finally {
    over = true;
    await watching;
  }
  return { answers, longestGapMs, longestBadGatewayMs, lists, incomplete };
}
