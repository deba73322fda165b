import { type DestinationStream, type Logger, type LoggerOptions, pino, stdTimeFunctions } from 'pino';
import { scrub, scrubError } from '#core/installation/scrub.ts';

export type Log = Logger;

interface LogSettings {
  /** The process: api, worker, paper or cli. */
  readonly name: string;
  readonly level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
  /** The revision that runs. */
  readonly sha?: string;
}

/**
 * The process log: one JSON object a line, on stdout unless a destination is given. Every line has `time` (ISO 8601),
 * `level` in words, `name` and `msg`; lines about an event have `event`, a snake_case name, and its
 * numbers as separate fields: log.info({ event: 'worker_started', slot }, 'The worker has started.').
 * Database bind values never reach the stream: all fields, errors and texts pass through core/scrub.
 */
export function createLog(settings: LogSettings, destination?: DestinationStream): Log {
  const options: LoggerOptions = {
    level: settings.level,
    base: { name: settings.name, ...(settings.sha === undefined ? {} : { sha: settings.sha }) },
    timestamp: stdTimeFunctions.isoTime,
    formatters: {
      level: (label) => ({ level: label }),
    },
    // Serializers receive fields that are already plain records.
    serializers: { err: (value: unknown) => value },
    hooks: {
      logMethod(args, method) {
        Reflect.apply(method, this, scrubArguments(args));
      },
    },
  };
  return withScrubbedBindings(destination === undefined ? pino(options) : pino(options, destination));
}

/** pino does not format bindings of children; children inherit these methods. */
function withScrubbedBindings(log: Log): Log {
  for (const name of ['child', 'setBindings'] as const) {
    const method = log[name];
    Object.defineProperty(log, name, {
      value(this: Log, bindings: Record<string, unknown>, settings?: unknown): unknown {
        return Reflect.apply(method, this, [scrubFields(bindings), settings]);
      },
    });
  }
  return log;
}

function scrubFields(fields: Record<string, unknown>): Record<string, unknown> {
  const clean = scrub(fields);
  return typeof clean === 'object' && clean !== null ? { ...clean } : {};
}

/** Scrubs fields, texts and their values before pino takes the message from an error among them. */
function scrubArguments(args: readonly unknown[]): unknown[] {
  const [first, ...rest] = args.map((value) => scrub(value));
  if (!(args[0] instanceof Error)) return [first, ...rest];
  return [{ err: first }, ...(rest.length === 0 ? [scrubError(args[0]).message] : rest)];
}
