import { z } from 'zod';
import { readDecimal } from '#core/amount/decimal.ts';
import { unreadable } from '#exchange/errors.ts';

/** Parses decimal text into an exact decimal. */
export const decimal = z.string().transform((text, context) => {
  const value = readDecimal(text);
  if (value !== undefined) return value;
  context.addIssue({ code: 'custom', message: `"${text}" is not a decimal number` });
  return z.NEVER;
});

/** Ids arrive as numbers, or as text when they pass 2^53. */
export const id = z.union([z.number().int(), z.string()]).transform(String);

export const instant = z.number().transform((ms) => new Date(ms));

/** Prices and volumes for signals, where a float64 is enough. */
export const float = z.string().transform((text, context) => {
  const value = Number(text);
  if (text !== '' && Number.isFinite(value)) return value;
  context.addIssue({ code: 'custom', message: `"${text}" is not a number` });
  return z.NEVER;
});

/**
 * Parses `body` with `schema`. Throws ExchangeError (reason unreadable) that names `what` and the first unexpected
 * field.
 */
export function requireShape<T>(schema: z.ZodType<T>, body: unknown, what: string): T {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const where = issue === undefined || issue.path.length === 0 ? '' : ` at ${issue.path.join('.')}`;
  throw unreadable(`The exchange sent ${what} in an unexpected form${where}: ${issue?.message ?? ''}.`, 200, body);
}
