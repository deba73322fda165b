import { isObject } from '#core/merge.ts';

interface Difference {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

const text = (value: unknown): string =>
  value === undefined ? 'not set' : typeof value === 'string' && value !== '' ? value : JSON.stringify(value);

/** Where two JSON values differ, by dotted path; lists are compared whole. */
export function differencesOf(before: unknown, after: unknown, path = ''): Difference[] {
  if (isObject(before) && isObject(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...names].flatMap((name) =>
      differencesOf(before[name], after[name], path === '' ? name : `${path}.${name}`),
    );
  }
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  return [{ path, before: text(before), after: text(after) }];
}
