import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Loaded before a program: tells every so often what it holds on to, after a full collection. */
const EVERY_MS = 10_000;

setFlagsFromString('--expose-gc');
const collect: unknown = runInNewContext('gc');
setInterval(() => {
  if (typeof collect === 'function') collect();
  const { heapUsed, rss } = process.memoryUsage();
  process.send?.({
    heapMb: heapUsed / 2 ** 20,
    rssMb: rss / 2 ** 20,
    handles: process.getActiveResourcesInfo().length,
  });
}, EVERY_MS).unref();
