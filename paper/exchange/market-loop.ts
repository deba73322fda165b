import { commit, deactivateIdle, nextDueMs, playUntil, type Venue } from './venue.ts';

/** Interval of periodic work such as tickers. Trades are played when they are due. */
const PAUSE_MS = 50;
const SLICE = 2000;

/** Plays a market with a running clock until it is disposed. Logs once when recorded data have ended. */
export function startMarketLoop(venue: Venue, log: (line: string) => void): AsyncDisposable {
  let ended = false;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let pausedMs = -Infinity;
  const playDue = async () => {
    const isPause = performance.now() - pausedMs >= PAUSE_MS;
    if (isPause) deactivateIdle(venue);
    const nowMs = venue.clock.nowMs();
    await playInSlices(venue, nowMs, () => stopped);
    if (isPause) pause(nowMs);
    if (stopped) return;
    const dueMs = (nextDueMs(venue) - venue.clock.nowMs()) / venue.clock.speed;
    timer = setTimeout(run, Math.max(1, Math.min(dueMs, pausedMs + PAUSE_MS - performance.now())));
  };
  const pause = (nowMs: number): void => {
    pausedMs = performance.now();
    venue.listeners.onPause(nowMs);
    venue.journal?.noteTime(Math.min(venue.playedMs, nowMs));
    if (!ended && venue.source.endMs !== null && nowMs >= venue.source.endMs) {
      ended = true;
      log(
        `The recorded market data end at ${new Date(venue.source.endMs).toISOString()}: prices do not change any more.`,
      );
    }
  };
  let running = Promise.resolve();
  const run = () => {
    running = playDue();
  };
  run();
  return {
    [Symbol.asyncDispose]: async () => {
      stopped = true;
      clearTimeout(timer);
      await running;
      commit(venue, venue.playedMs);
      venue.journal?.noteTime(venue.playedMs);
    },
  };
}

/** Plays up to `untilMs`. Between slices, requests and sockets get their turn. */
async function playInSlices(venue: Venue, untilMs: number, isStopped: () => boolean): Promise<void> {
  while (!isStopped() && !playUntil(venue, untilMs, SLICE)) await new Promise((resolve) => setImmediate(resolve));
}

/** Moves a virtual clock to `untilMs`, event by event. Returns when everything up to it has happened. */
export async function advanceTo(venue: Venue, untilMs: number): Promise<void> {
  const { moveTo } = venue.clock;
  if (moveTo === undefined) throw new RangeError('the clock runs automatically and cannot be moved');
  deactivateIdle(venue);
  let done = false;
  while (!done) {
    done = playUntil(venue, untilMs, SLICE);
    moveTo(venue.playedMs);
    venue.listeners.onPause(venue.playedMs);
    await new Promise((resolve) => setImmediate(resolve));
  }
  venue.journal?.noteTime(venue.playedMs);
}
