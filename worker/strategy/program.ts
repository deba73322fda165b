import type { RunningFile } from '#authoring/moment.ts';
import { StrategyHung } from './context.ts';
import { isRequest, type Request, type Reply } from './messages.ts';
import { loadVersion } from './version.ts';

/*
 * The process of one strategy file for live trading, started by distant-version.ts. It has no environment, no keys, no
 * database, and by Node's permission model no files but its own code, no child processes and no threads. The file runs
 * in a context inside of it.
 */

/** Shorter than the limit of the parent, so that this process can name the rule that hung. */
const STEP_LIMIT_MS = 2_000;

let version: Extract<ReturnType<typeof loadVersion>, { kind: 'version' }>['version'] | undefined;
const running = new Map<number, RunningFile>();

function reply(request: Request): Reply {
  const { number } = request;
  if (request.kind === 'load') {
    const loaded = loadVersion(request.file.name, request.file.text);
    if (loaded.kind === 'refused') return { number, failed: loaded.sentence };
    version = loaded.version;
    return { number, description: version.description, declared: version.declared };
  }
  if (version === undefined) return { number, failed: 'no file is loaded' };
  if (request.kind === 'declare') return { number, declared: version.declare(request.values) };
  if (request.kind === 'open') {
    running.set(request.instance, version.open(request.values, request.layout, request.memory));
    return { number };
  }
  const file = running.get(request.instance);
  if (file === undefined) return { number, failed: 'the coin is not open' };
  for (const [at, value] of request.cells.entries()) file.cells[at] = value;
  const lines = version.stepWithin(file, STEP_LIMIT_MS);
  return { number, cells: Float64Array.from(file.cells), memory: file.memory(), lines, problem: file.problem() };
}

process.on('message', (request: unknown) => {
  if (!isRequest(request)) return;
  try {
    process.send?.(reply(request));
  } catch (error) {
    // After a hang the state of the file is uncertain: the parent ends this process, and the next one begins with the last answer.
    const failed = error instanceof Error ? error.message : String(error);
    process.send?.({ number: request.number, failed, hung: error instanceof StrategyHung });
  }
});
process.on('disconnect', () => process.exit(0));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
