import type { AccountEvent } from '#core/ports/exchange.ts';

/** Longest wait for the user stream at the start of a run; after it the run fails and starts again. */
const CONNECT_TIMEOUT_MS = 15_000;

/**
 * Buffers account events until the snapshots that they update are read. The engine subscribes to the stream first, then
 * reads wallet, orders and positions, then handles the buffered events in order.
 */
interface SnapshotBuffer {
  receive(event: AccountEvent): void;
  /** Resolves at the first `connected`; rejects with the cause when it does not come in time. */
  connected(signal: AbortSignal): Promise<void>;
  /** Handles the buffered events, then each event as it arrives. */
  open(handle: (event: AccountEvent) => void): void;
}

export function createSnapshotBuffer(): SnapshotBuffer {
  const buffered: AccountEvent[] = [];
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
      if (handle === null) buffered.push(event);
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
          CONNECT_TIMEOUT_MS,
        );
        announce = () => finish(resolve);
        signal.addEventListener('abort', () => finish(resolve), { once: true });
        if (seen) announce();
      });
    },
    open(next) {
      handle = next;
      for (const event of buffered.splice(0)) if (event.kind !== 'connected') next(event);
    },
  };
}
