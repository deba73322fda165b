import { monitorEventLoopDelay } from 'node:perf_hooks';

/** A machine on which this process waits this long for its turn now and then keeps up with the drill's timing. */
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

/** How many times as slowly as on a free machine a schedule is to be played: 1 there, more on a busy one. */
export const paceNow = (): number =>
  Math.min(SLOWEST, Math.max(1, Math.ceil(Math.max(last, delays.percentile(99) / 1e6) / EASY_MS)));
