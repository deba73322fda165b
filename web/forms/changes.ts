import { isObject } from '#core/merge.ts';
import { valueAt, withValue } from './schema-fields.ts';

type Config = Record<string, unknown>;
const asConfig = (value: unknown): Config => (isObject(value) ? value : {});

/** Settings that are tried with other values, in the order in which they were chosen. */
export type Changes = readonly { readonly path: string; readonly value: unknown }[];

/** A value put where it belongs; a list is stored whole, so one that is inherited is taken over first. */
export function placed(scope: { readonly own: Config; readonly base: Config }, path: string, value: unknown): Config {
  const list = path.match(/^(.*?)\.\d+\./)?.[1];
  const taken =
    list === undefined || valueAt(scope.own, list) !== undefined
      ? scope.own
      : withValue(scope.own, list, valueAt(scope.base, list));
  return asConfig(withValue(taken, path, value));
}

/** The changes as a patch of the settings; a list is patched whole, so it is taken from what is saved. */
export const patchOf = (config: Record<string, unknown>, changes: Changes): Record<string, unknown> =>
  changes.reduce<Record<string, unknown>>((own, { path, value }) => placed({ own, base: config }, path, value), {});

/** Changes that an address proposes, as pairs of path and value in JSON. */
export function changesOf(text: string | undefined): Changes {
  if (text === undefined) return [];
  try {
    const pairs: unknown = JSON.parse(text);
    if (!Array.isArray(pairs)) return [];
    return pairs.flatMap((pair: unknown) => {
      if (!Array.isArray(pair)) return [];
      const path: unknown = pair[0];
      const value: unknown = pair[1];
      return typeof path === 'string' ? [{ path, value }] : [];
    });
  } catch {
    return [];
  }
}
