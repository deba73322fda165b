import type { z } from 'zod';
import { depthEvent, depthSnapshot } from './raw-json.ts';
import { type BookSeen, type Feed, openFeed } from './stock-client.ts';

type Update = z.output<typeof depthEvent>;

/**
 * Keeps a book by the documented procedure for clients that leave it to their user: buffer, take a snapshot not older than
 * the first update, drop what it holds, then apply without a gap.
 */
export function openLocalBook(askSnapshot: () => Promise<unknown>): Feed<BookSeen> & { push(event: unknown): void } {
  const feed = openFeed<BookSeen>();
  const [bids, asks] = [new Map<number, number>(), new Map<number, number>()];
  let buffer: Update[] = [];
  let lastId: number | undefined;
  let isAsking = false;
  const apply = (update: Update): void => {
    if (lastId === undefined || update.u <= lastId) return;
    if (update.U > lastId + 1) throw new Error(`A gap: update ${update.U} follows ${lastId}.`);
    for (const [side, levels] of [
      [bids, update.b],
      [asks, update.a],
    ] as const)
      for (const [price, quantity] of levels) {
        if (quantity === 0) side.delete(price);
        else side.set(price, quantity);
      }
    lastId = update.u;
    feed.push({ lastUpdateId: lastId, bids: sorted(bids, -1), asks: sorted(asks, 1) });
  };
  const begin = async (first: Update): Promise<void> => {
    isAsking = true;
    let snapshot = depthSnapshot.parse(await askSnapshot());
    while (snapshot.lastUpdateId < first.U) snapshot = depthSnapshot.parse(await askSnapshot());
    for (const [price, quantity] of snapshot.bids) bids.set(price, quantity);
    for (const [price, quantity] of snapshot.asks) asks.set(price, quantity);
    lastId = snapshot.lastUpdateId;
    for (const update of buffer) apply(update);
    buffer = [];
  };
  return {
    next: feed.next,
    push: (event) => {
      const parsed = depthEvent.safeParse(event);
      if (!parsed.success) return;
      if (lastId !== undefined) return apply(parsed.data);
      buffer.push(parsed.data);
      if (!isAsking) void begin(parsed.data);
    },
  };
}

const sorted = (side: ReadonlyMap<number, number>, sign: number): [number, number][] =>
  [...side].toSorted(([a], [b]) => sign * (a - b));
