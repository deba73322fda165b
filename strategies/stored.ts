import { readDecimal } from '#core/amount/decimal.ts';
import { isObject } from '#core/merge.ts';

/** Reads settings of a stored config by dotted path. An absent value or a wrong type gets the default; a wrong type is recorded. */
export interface StoredReader {
  flag(path: string, fallback: boolean): boolean;
  /** A whole number, even beyond the bounds of the schema. */
  count(path: string, fallback: number): number;
  /** Decimal text, even beyond the bounds; '' when the setting can be off. */
  decimal(path: string, fallback: string): string;
  text(path: string, fallback: string): string;
  choice<const Option extends string>(path: string, options: readonly Option[], fallback: Option): Option;
  /** Length of the list at `path`; 0 when absent. */
  length(path: string): number;
  /** The first path with a wrong type. */
  unreadablePath(): string | undefined;
}

const isDecimalText = (value: string): boolean => value === '' || (readDecimal(value) ?? -1n) >= 0n;

/** A reader of an unparsed merged config. Bounds are not checked: a value above a maximum is used. */
export function storedReader(stored: unknown): StoredReader {
  let unreadable: string | undefined;
  const refuse = (path: string): undefined => {
    unreadable ??= path;
    return undefined;
  };
  const find = (path: string): unknown => {
    let value: unknown = stored ?? {};
    const walked: string[] = [];
    for (const key of path.split('.')) {
      if (value === undefined || value === null) return undefined;
      if (Array.isArray(value)) value = value[Number(key)];
      else if (isObject(value)) value = Object.hasOwn(value, key) ? value[key] : undefined;
      else return refuse(walked.length === 0 ? 'config' : walked.join('.'));
      walked.push(key);
    }
    return value ?? undefined;
  };
  const read = <T>(path: string, is: (value: unknown) => value is T, fallback: T): T => {
    const value = find(path);
    if (value === undefined) return fallback;
    if (is(value)) return value;
    refuse(path);
    return fallback;
  };
  return {
    flag: (path, fallback) => read(path, (value): value is boolean => typeof value === 'boolean', fallback),
    count: (path, fallback) => read(path, (value): value is number => Number.isSafeInteger(value), fallback),
    decimal: (path, fallback) =>
      read(path, (value): value is string => typeof value === 'string' && isDecimalText(value), fallback),
    text: (path, fallback) => read(path, (value): value is string => typeof value === 'string', fallback),
    choice: <Option extends string>(path: string, options: readonly Option[], fallback: Option): Option =>
      read(path, (value): value is Option => options.some((option) => option === value), fallback),
    length: (path) => read(path, (value): value is unknown[] => Array.isArray(value), []).length,
    unreadablePath: () => unreadable,
  };
}
