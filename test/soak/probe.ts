import { setFlagsFromString } from 'node:v8';
import { createContext, Script } from 'node:vm';

/** Loaded before a program: prints the memory in use every few seconds, after a full collection. */
const EVERY_MS = 10_000;

setFlagsFromString('--expose-gc');
// Only contexts made after the flag know it.
const script = new Script('gc()');
const context = createContext();
setInterval(() => {
  script.runInContext(context);
  const { heapUsed, rss } = process.memoryUsage();
  process.send?.({
    heapMb: heapUsed / 2 ** 20,
    rssMb: rss / 2 ** 20,
    handles: process.getActiveResourcesInfo().length,
  });
}, EVERY_MS).unref();
