import type { AccountEvent } from '#core/ports/exchange.ts';

/** Longest wait for the user stream at the start of a run; after it the run fails and is tried again. */
const PATIENCE_MS = 15_000;

/**
 * Holds account events back until the snapshots they add to have been taken: the stream is subscribed first, then wallet,
 * orders and positions are read, then the events are handled in order.
 */
interface SnapshotBuffer {
  receive(event: AccountEvent): void;
  /** Resolves at the first `connected`; rejects with a sentence when it does not come. */
  connected(signal: AbortSignal): Promise<void>;
  open(handle: (event: AccountEvent) => void): void;
}

export function createSnapshotBuffer(): SnapshotBuffer {
  const held: AccountEvent[] = [];
  let handle: ((event: AccountEvent) => void) | null = null;
  let seen = false;
  let announce: (() => void) | null = null;
  let cause = 'it has not answered';

  return {
    receive(event) {
      if (event.kind === 'connected') {
        seen = true;
        announce?.();
      }
      if (event.kind === 'disconnected') cause = event.cause;
      if (handle === null) held.push(event);
      else handle(event);
    },
    connected(signal) {
      return new Promise((resolve, reject) => {
        const finish = (end: () => void): void => {
          clearTimeout(timer);
          announce = null;
          end();
        };
        const timer = setTimeout(
          () => finish(() => reject(new Error(`The user stream of the exchange is not connected: ${cause}`))),
          PATIENCE_MS,
        );
        announce = () => finish(resolve);
        signal.addEventListener('abort', () => finish(resolve), { once: true });
        if (seen) announce();
      });
    },
    open(next) {
      handle = next;
      for (const event of held.splice(0)) if (event.kind !== 'connected') next(event);
    },
  };
}
