import { isObject } from '#core/merge.ts';

export interface Difference {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

/**
 * Where two JSON values differ, by dotted path. Lists of different lengths are one difference; an object that one side
 * lacks counts as an empty one.
 */
export function differencesOf(before: unknown, after: unknown, path = ''): Difference[] {
  const inner = (names: Iterable<string>, partOf: (value: unknown, name: string) => unknown): Difference[] =>
    [...names].flatMap((name) =>
      differencesOf(partOf(before, name), partOf(after, name), path === '' ? name : `${path}.${name}`),
    );
  const [ofBefore, ofAfter] = [before ?? {}, after ?? {}];
  if ((isObject(before) || isObject(after)) && isObject(ofBefore) && isObject(ofAfter)) {
    const names = new Set([...Object.keys(ofBefore), ...Object.keys(ofAfter)]);
    return inner(names, (value, name) => (isObject(value) ? value[name] : undefined));
  }
  if (isList(before) && isList(after) && before.length === after.length)
    return inner(Object.keys(before), (value, index) => (isList(value) ? value[Number(index)] : undefined));
  return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ path, before, after }];
}
