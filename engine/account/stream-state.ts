/** A first connection may take this long before it counts as lost. */
const FIRST_CONNECTION_MS = 10_000;

/** Whether a stream that reconnects automatically is connected. */
interface StreamState {
  note(kind: 'connected' | 'disconnected'): void;
  isConnected(): boolean;
  /** The state that the operator sees: undefined until the first connection. */
  reported(): boolean | undefined;
}

/** The state of a stream that was opened now. `nowMs` is a monotonic clock. */
export function openStreamState(nowMs: () => number = () => performance.now()): StreamState {
  const openedMs = nowMs();
  let connected = false;
  let isFirst = true;
  return {
    note(kind) {
      connected = kind === 'connected';
      if (connected) isFirst = false;
    },
    isConnected: () => connected,
    reported: () => (!connected && isFirst && nowMs() - openedMs < FIRST_CONNECTION_MS ? undefined : connected),
  };
}
