import { performance } from 'node:perf_hooks';
import type { ExchangeClock } from '#core/ports/exchange.ts';

/** Reply of GET /api/v3/time, in ms; only the paper exchange sends a separate market time. */
export interface ServerTime {
  readonly serverTime: number;
  readonly marketTime?: number | undefined;
  readonly marketSpeed?: number | undefined;
}

interface ClockOptions {
  /** Monotonic ms. */
  readonly monotonicMs?: () => number;
  /** Wall time used until the first sync. */
  readonly wallMs?: () => number;
  /** Requests per sync; the one with the shortest round trip counts. */
  readonly samples?: number;
}

interface Reading {
  readonly atMs: number;
  readonly roundTripMs: number;
  readonly serverMs: number;
  readonly marketMs: number;
  readonly speed: number;
  /** False for the wall time before the first sync. */
  readonly synced: boolean;
}

/**
 * The exchange's clock on a monotonic base, so that a change of the machine's clock has no effect. A sample counts as
 * read half a round trip before its arrival. Times are whole ms. `sync` rejects with the error of `fetchTime` when no
 * sample succeeds; concurrent syncs share one.
 */
export function createExchangeClock(fetchTime: () => Promise<ServerTime>, options: ClockOptions = {}): ExchangeClock {
  const monotonicMs = options.monotonicMs ?? (() => performance.now());
  const startMs = (options.wallMs ?? Date.now)();
  const samples = options.samples ?? 3;
  let reading: Reading = {
    atMs: monotonicMs(),
    roundTripMs: Infinity,
    serverMs: startMs,
    marketMs: startMs,
    speed: 1,
    synced: false,
  };
  let syncing: Promise<void> | undefined;

  const sample = async (): Promise<Reading> => {
    const sentMs = monotonicMs();
    const time = await fetchTime();
    const atMs = monotonicMs();
    const lateMs = (atMs - sentMs) / 2;
    const speed = time.marketSpeed ?? 1;
    return {
      atMs,
      roundTripMs: atMs - sentMs,
      serverMs: time.serverTime + lateMs,
      marketMs: (time.marketTime ?? time.serverTime) + lateMs * speed,
      speed,
      synced: true,
    };
  };
  const takeBest = async (): Promise<void> => {
    let best = await sample();
    for (let taken = 1; taken < samples; taken++) {
      const next = await sample().catch(() => best);
      if (next.roundTripMs < best.roundTripMs) best = next;
    }
    reading = best;
  };

  return {
    protocolMs: () => Math.floor(reading.serverMs + (monotonicMs() - reading.atMs)),
    marketMs: () => Math.floor(reading.marketMs + (monotonicMs() - reading.atMs) * reading.speed),
    marketSpeed: () => (reading.synced ? reading.speed : undefined),
    sync() {
      syncing ??= takeBest().finally(() => {
        syncing = undefined;
      });
      return syncing;
    },
  };
}
