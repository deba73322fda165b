import { z } from 'zod';
import { readDecimal } from '#core/amount/decimal.ts';
import { isObject } from '#core/merge.ts';

/** A stored config as the strategy runs it, and the first setting with a wrong type. */
interface StoredConfig<Config> {
  readonly config: Config;
  readonly readable: boolean;
  readonly unreadablePath?: string;
}

/**
 * Reads a merged config by its schema without parsing it. It fills absent settings and keeps values beyond a bound. A
 * setting of a wrong type gets its default, and the first one is named. Unknown settings are left out.
 */
export function readStored<Config>(schema: z.ZodType<Config>, stored: unknown): StoredConfig<Config> {
  const wrong: string[] = [];
  const config = readerFor(schema)(stored, '', (path) => wrong.push(path));
  if (!hasTypesOf(schema, config)) throw new TypeError('The schema of a strategy has a setting without a default.');
  const [unreadablePath] = wrong;
  return unreadablePath === undefined ? { config, readable: true } : { config, readable: false, unreadablePath };
}

/** Returns the value with defaults; reports the path of each value of a wrong type. */
type Reader = (value: unknown, path: string, report: (path: string) => void) => unknown;

/** Readers of whole schemas: a sweep reads thousands of configs of one. */
const readers = new WeakMap<z.ZodType, Reader>();

function readerFor(schema: z.ZodType): Reader {
  const reader = readers.get(schema) ?? readerOf(schema, { fallback: undefined, kind: undefined });
  readers.set(schema, reader);
  return reader;
}

/** True when no setting has a wrong type. */
function hasTypesOf<Config>(schema: z.ZodType<Config>, value: unknown): value is Config {
  let right = true;
  readerFor(schema)(value, '', () => {
    right = false;
  });
  return right;
}

/** The default of a setting, and its `form.kind` (fields.ts). */
interface Setting {
  readonly fallback: unknown;
  readonly kind: unknown;
}

/** Kinds of text settings that hold a decimal number, or '' for off. */
const DECIMALS: readonly unknown[] = ['multiplier', 'amount', 'number'];

function readerOf(schema: z.core.SomeType, setting: Setting): Reader {
  const kind = setting.kind ?? kindOf(schema);
  if (schema instanceof z.ZodDefault)
    return readerOf(schema.def.innerType, { fallback: schema.def.defaultValue, kind });
  if (schema instanceof z.ZodPrefault) return readerOf(schema.def.innerType, setting);
  if (schema instanceof z.ZodObject) return groupReader(schema.shape);
  if (schema instanceof z.ZodArray)
    return listReader(readerOf(schema.element, { fallback: undefined, kind: undefined }));
  const { fallback } = setting;
  if (schema instanceof z.ZodBoolean) return leafReader((value) => typeof value === 'boolean', fallback);
  if (schema instanceof z.ZodNumber) return leafReader((value) => Number.isSafeInteger(value), fallback);
  if (schema instanceof z.ZodEnum) {
    const options: readonly unknown[] = schema.options;
    return leafReader((value) => options.includes(value), fallback);
  }
  const isText = DECIMALS.includes(kind) ? isDecimalText : (value: unknown): boolean => typeof value === 'string';
  return leafReader(isText, fallback ?? '');
}

function kindOf(schema: z.core.SomeType): unknown {
  const form = schema instanceof z.ZodType ? z.globalRegistry.get(schema)?.['form'] : undefined;
  return isObject(form) ? form['kind'] : undefined;
}

const isDecimalText = (value: unknown): boolean =>
  typeof value === 'string' && (value === '' || (readDecimal(value) ?? -1n) >= 0n);

const leafReader =
  (accepts: (value: unknown) => boolean, fallback: unknown): Reader =>
  (value, path, report) => {
    if (value === undefined || value === null) return fallback;
    if (accepts(value)) return value;
    report(path);
    return fallback;
  };

function groupReader(shape: Readonly<Record<string, z.core.SomeType>>): Reader {
  const settings = Object.entries(shape).map(
    ([name, schema]) => [name, readerOf(schema, { fallback: undefined, kind: undefined })] as const,
  );
  return (value, path, report) => {
    const found = value ?? {};
    if (!isObject(found)) report(path === '' ? 'config' : path);
    const stored = isObject(found) ? found : {};
    const config: Record<string, unknown> = {};
    for (const [name, read] of settings) {
      const own = Object.hasOwn(stored, name) ? stored[name] : undefined;
      config[name] = read(own, path === '' ? name : `${path}.${name}`, report);
    }
    return config;
  };
}

const listReader =
  (read: Reader): Reader =>
  (value, path, report) => {
    const found: unknown = value ?? [];
    if (!Array.isArray(found)) {
      report(path);
      return [];
    }
    return found.map((item: unknown, i) => read(item, `${path}.${i}`, report));
  };
