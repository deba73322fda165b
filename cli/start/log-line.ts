import { z } from 'zod';
import { readJson } from '#core/json.ts';
import { oneLine } from '#cli/print.ts';

const record = z.object({
  level: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal']),
  msg: z.string().default(''),
  err: z.object({ message: z.string() }).partial().optional(),
});

/** One line of a child's output: a record of its log, or bare text such as a stack trace. */
export type LogLine =
  | { readonly kind: 'record'; readonly trouble: boolean; readonly text: string }
  | { readonly kind: 'text'; readonly text: string };

const longestShown = 400;

/** Parses a line of integrations/log; `trouble` is true from level warn on. */
export function readLogLine(line: string): LogLine {
  const parsed = record.safeParse(line.startsWith('{') ? readJson(line) : undefined);
  if (!parsed.success) return { kind: 'text', text: shorten(line) };
  const { level, msg, err } = parsed.data;
  const cause = err?.message !== undefined && !msg.includes(err.message) ? ` (${err.message})` : '';
  return {
    kind: 'record',
    trouble: level === 'warn' || level === 'error' || level === 'fatal',
    text: shorten(`${msg}${cause}`),
  };
}

function shorten(text: string): string {
  const shown = oneLine(text);
  return shown.length > longestShown ? `${shown.slice(0, longestShown)}…` : shown;
}
