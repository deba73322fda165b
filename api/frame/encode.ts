import type { z } from 'zod';
import { isObject } from '#core/merge.ts';

type Encode = (value: unknown) => unknown;

const same: Encode = (value) => value;

const isDef = (schema: z.core.$ZodType): z.core.$ZodTypes => schema as z.core.$ZodTypes;

/**
 * A function that turns a value of `schema` into its wire form: the reverse of each codec, and only the fields that the
 * schema names. Unlike z.encode it checks nothing: a stored value that a later version would refuse is still shown.
 */
export function encoderOf(schema: z.core.$ZodType): Encode {
  const { def } = isDef(schema)._zod;
  switch (def.type) {
    case 'object':
      return objectEncoder(def.shape);
    case 'array':
      return arrayEncoder(encoderOf(def.element));
    case 'record':
      return recordEncoder(encoderOf(def.valueType));
    case 'union':
      return unionEncoder(def);
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'readonly':
      return emptyEncoder(encoderOf(def.innerType));
    case 'pipe':
      return codecEncoder(def);
    case 'transform':
    case 'lazy':
    case 'intersection':
    case 'tuple':
    case 'map':
    case 'set':
      throw new Error(`An answer cannot hold a schema of type ${def.type}.`);
    default:
      return same;
  }
}

const arrayEncoder = (encode: Encode): Encode =>
  encode === same ? same : (value) => (Array.isArray(value) ? value.map(encode) : value);

/** For a value that may be absent. */
const emptyEncoder = (encode: Encode): Encode =>
  encode === same ? same : (value) => (value === null || value === undefined ? value : encode(value));

const recordEncoder = (encode: Encode): Encode =>
  encode === same
    ? same
    : (value) =>
        isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, encode(inner)])) : value;

function objectEncoder(shape: Readonly<Record<string, z.core.$ZodType>>): Encode {
  const fields = Object.entries(shape).map(([name, schema]) => ({ name, encode: encoderOf(schema) }));
  return (value) => {
    if (!isObject(value)) return value;
    const encoded: Record<string, unknown> = {};
    for (const { name, encode } of fields) {
      const inner = value[name];
      if (inner !== undefined) encoded[name] = encode(inner);
    }
    return encoded;
  };
}

/** Of values that are no objects, or of objects with a field that distinguishes them. */
function unionEncoder(def: z.core.$ZodUnionDef): Encode {
  const options = def.options.map((option) => ({ values: isDef(option)._zod.propValues, encode: encoderOf(option) }));
  if (options.every(({ encode }) => encode === same)) return same;
  const name = 'discriminator' in def ? String(def.discriminator) : '';
  return (value) => {
    const kind = isObject(value) ? value[name] : undefined;
    const option = options.find(({ values }) => [...(values?.[name] ?? [])].some((known) => known === kind));
    return option === undefined ? value : option.encode(value);
  };
}

function codecEncoder(def: z.core.$ZodPipeDef): Encode {
  if (!('reverseTransform' in def) || typeof def.reverseTransform !== 'function')
    throw new Error('An answer cannot hold a transform that has no reverse.');
  const { reverseTransform } = def;
  return (value): unknown => reverseTransform(value, { value, issues: [] });
}
