import { monitorEventLoopDelay } from 'node:perf_hooks';

/** A machine whose event loop is at most this late can follow the timing of a run. */
const EASY_MS = 80;
const SLOWEST = 8;
const LOOK_MS = 2_000;

const delays = monitorEventLoopDelay({ resolution: 10 });
delays.enable();
let last = 0;
setInterval(() => {
  last = delays.percentile(99) / 1e6;
  delays.reset();
}, LOOK_MS).unref();

/** How many times slower than on an idle machine a schedule must run: 1 there, more on a busy one. */
export const paceNow = (): number =>
  Math.min(SLOWEST, Math.max(1, Math.ceil(Math.max(last, delays.percentile(99) / 1e6) / EASY_MS)));
