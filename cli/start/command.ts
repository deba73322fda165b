import { EnvironmentError, parseEnvironment } from '#core/installation/env.ts';
import type { CommandContext } from '#cli/command.ts';
import { readVersion } from '#cli/version.ts';
import { openBrowser } from './browser.ts';
import { lowDiskWarning, openDataFolder } from './data-folder.ts';
import { parseStartOptions, type StartOptions } from './options.ts';
import { claimPort } from './port-check.ts';
import { requireReplayFolder } from './replay-folder.ts';
import { Service } from './service.ts';
import { listenForStop } from './stop-request.ts';
import { Terminal } from './terminal.ts';

/** Stopping takes at most 5 s. Shortly before that, running processes are killed. */
const stopLimitMs = 4700;
/** Placeholder for the embedded database. Its address is known only when it runs. */
const placeholderUrl = 'postgres://embedded';

/** Runs the whole service until a signal comes. Returns the exit code: 0 stopped, 1 could not start, 2 wrong usage. */
export async function runStart(argv: readonly string[], context: CommandContext): Promise<number> {
  const parsed = parseStartOptions(argv, { home: context.home, cwd: process.cwd() });
  if (parsed.kind === 'problem') {
    console.error(parsed.sentence);
    return 2;
  }
  const terminal = new Terminal();
  const stop = listenForStop(context.bootstrapGone);
  try {
    await run({ options: parsed.options, context, terminal, stop });
    return 0;
  } catch (error) {
    if (stop.aborted) return 0;
    console.error(explain(error));
    return 1;
  }
}

interface Run {
  readonly options: StartOptions;
  readonly context: CommandContext;
  readonly terminal: Terminal;
  readonly stop: AbortSignal;
}

async function run({ options, context, terminal, stop }: Run): Promise<void> {
  const { root, environment: inherited } = context;
  const embedded = (inherited['DATABASE_URL'] ?? '') === '';
  // Checked before anything runs, so that an invalid setting leaves nothing behind.
  const env = parseEnvironment({
    ...inherited,
    ...(embedded ? { DATABASE_URL: placeholderUrl } : {}),
    ...(options.port === undefined ? {} : { PORT: String(options.port) }),
  });
  if (options.replay !== undefined) requireReplayFolder(options.replay);
  await using owner = openDataFolder(options.dataDir);
  const claim = await claimPort(env.PORT, env.HOST);
  const url = `http://${browsableHost(env.HOST)}:${claim.port}`;
  owner.describe(url);

  terminal.line(`Tradewind ${readVersion(root)}`);
  const warning = lowDiskWarning(options.dataDir);
  if (warning !== undefined) terminal.line(warning);
  await using service = new Service({ root, options, inherited, env, claim, embedded, terminal, stop });
  endByForce(service, stop);
  await service.start();
  terminal.line(`Ready after ${terminal.elapsed()} s: ${url}`);
  if (options.openBrowser) openBrowser(url, inherited);
  await untilAborted(stop);
  terminal.line('Stopping…');
}

/** A wildcard address is for listening, not for a browser. */
function browsableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Last resort for a process that ignores signals, and for the end of this process by a bug. */
function endByForce(service: Service, stop: AbortSignal): void {
  const onAbort = () => {
    setTimeout(() => {
      service.kill();
      process.exit(0);
    }, stopLimitMs).unref();
  };
  if (stop.aborted) onAbort();
  stop.addEventListener('abort', onAbort, { once: true });
  process.once('exit', () => service.kill());
}

function explain(error: unknown): string {
  if (error instanceof EnvironmentError) return error.problems.join('\n');
  if (!(error instanceof Error)) return String(error);
  // Refusals have a sentence. Built-in errors are bugs and need their stack.
  const bug = error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError;
  return bug ? (error.stack ?? error.message) : error.message;
}
