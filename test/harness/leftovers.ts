import { isMainThread } from 'node:worker_threads';

/**
 * Loaded before a test file. Ends a process that is still busy after its tests, because node would wait for it without a
 * limit.
 */
const TIMEOUT_MS = 120_000;

if (isMainThread) {
  const { afterEach, beforeEach } = await import('node:test');
  let running = 0;
  let timer: NodeJS.Timeout | undefined;
  beforeEach(() => {
    running += 1;
    clearTimeout(timer);
  });
  afterEach(() => {
    running -= 1;
    if (running === 0) timer = setTimeout(reportLeftovers, TIMEOUT_MS).unref();
  });
}

function reportLeftovers(): void {
  const held = [...new Set(process.getActiveResourcesInfo())].join(', ');
  console.error(`The tests are over for ${TIMEOUT_MS / 1000} s, and the process still holds: ${held}`);
  process.exit(1);
}
