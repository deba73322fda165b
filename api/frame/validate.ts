import type { z } from 'zod';
import type { $ZodRawIssue } from 'zod/v4/core';
import { type FieldError, invalid } from './problem.ts';

/** Error text for a value when the schema has no message. */
function sentenceFor(issue: $ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : `must be ${article(String(issue.expected))}`;
    case 'invalid_value':
      return `must be ${list(issue.values)}`;
    case 'too_big':
      return issue.origin === 'number' ? `is above the maximum ${issue.maximum}` : `is longer than ${issue.maximum}`;
    case 'too_small':
      return issue.origin === 'number' ? `is below the minimum ${issue.minimum}` : `is shorter than ${issue.minimum}`;
    case 'invalid_format':
      return issue.format === 'datetime' ? 'is not an ISO 8601 instant such as 2026-01-31T12:00:00Z' : undefined;
    default:
      return undefined;
  }
}

const article = (expected: string): string => `${/^[aeiou]/.test(expected) ? 'an' : 'a'} ${expected}`;
const list = (values: readonly unknown[]): string => values.map((value) => JSON.stringify(value)).join(' or ');

/** A path as the reader writes it, below `root`. */
const pathText = (root: string, path: readonly PropertyKey[]): string =>
  [...(root === '' ? [] : [root]), ...path.map(String)].join('.');

/** Every bad field of a failed parse; each unknown key counts as one. */
export function fieldErrors(error: z.ZodError, root = ''): FieldError[] {
  return error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => ({ path: pathText(root, [...issue.path, key]), message: 'is not a known field' }))
      : [{ path: pathText(root, issue.path), message: issue.message }],
  );
}

export const parseWith = <Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.ZodSafeParseResult<z.output<Schema>> => schema.safeParse(value, { error: sentenceFor });

/** Parses or throws a 422 that names every bad field. */
export function requireValid<Schema extends z.ZodType>(schema: Schema, value: unknown, root = ''): z.output<Schema> {
  const parsed = parseWith(schema, value);
  if (parsed.success) return parsed.data;
  throw invalid(fieldErrors(parsed.error, root));
}
