import { isObject } from './merge.ts';

type Config = Record<string, unknown>;

/** The own value of an object or a list at one part of a path; undefined when there is none. */
function partOf(value: unknown, part: string): unknown {
  if (Array.isArray(value)) return value[Number(part)];
  return isObject(value) && Object.hasOwn(value, part) ? value[part] : undefined;
}

/** The value at a dotted path such as `buy.gridLevels.0.triggerPercentage`; undefined when a part of the path is absent. */
export const valueAt = (config: unknown, path: string): unknown => path.split('.').reduce(partOf, config);

/** A copy with `value` at a dotted path. Absent objects on the path are created; a list keeps its length. */
export function withValue(config: unknown, path: string, value: unknown): unknown {
  const [part = '', ...rest] = path.split('.');
  const inner = (old: unknown): unknown => (rest.length === 0 ? value : withValue(old, rest.join('.'), value));
  if (Array.isArray(config)) return config.map((item: unknown, i) => (String(i) === part ? inner(item) : item));
  return { ...(isObject(config) ? config : {}), [part]: inner(partOf(config, part)) };
}

/** A copy without the value at a dotted path, and without objects that become empty. */
export function withoutValue(config: unknown, path: string): unknown {
  const [part = '', ...rest] = path.split('.');
  if (!isObject(config)) return config;
  const { [part]: old, ...others } = config;
  const inner = rest.length === 0 || Array.isArray(old) ? undefined : withoutValue(old, rest.join('.'));
  return isObject(inner) && Object.keys(inner).length > 0 ? { ...others, [part]: inner } : others;
}

/** The path of the outermost list on a dotted path; undefined without a list. */
function listIn(base: unknown, path: string): string | undefined {
  const parts = path.split('.');
  const paths = parts.slice(1).map((_part, i) => parts.slice(0, i + 1).join('.'));
  return paths.find((outer) => Array.isArray(valueAt(base, outer)));
}

/** Adds one value to a patch of `base`. A patch replaces whole lists, so an inherited list is copied first. */
export function withPatched(
  { own, base }: { readonly own: Config; readonly base: unknown },
  path: string,
  value: unknown,
): Config {
  const list = listIn(base, path);
  const copied =
    list === undefined || valueAt(own, list) !== undefined ? own : withValue(own, list, valueAt(base, list));
  const patched = withValue(copied, path, value);
  return isObject(patched) ? patched : {};
}

/** Settings with other values, by their dotted paths. */
export type Changes = readonly { readonly path: string; readonly value: unknown }[];

/** The changes as a JSON merge patch of `base`. */
export const patchOf = (base: unknown, changes: Changes): Config =>
  changes.reduce<Config>((own, { path, value }) => withPatched({ own, base }, path, value), {});

/** Every value of a config by its dotted path. */
export function leavesOf(value: unknown, path = ''): [string, unknown][] {
  if (!isObject(value) && !Array.isArray(value)) return [[path, value]];
  return Object.entries(value).flatMap(([key, part]) => leavesOf(part, path === '' ? key : `${path}.${key}`));
}
