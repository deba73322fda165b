import { z } from 'zod';
import { isObject } from '#core/merge.ts';
import type { AnyStrategy } from '#strategies/strategy.ts';
import type { FieldError } from '#api/frame/problem.ts';

const SCHEMAS = new WeakMap<AnyStrategy, unknown>();

function schemaOf(strategy: AnyStrategy): unknown {
  const known = SCHEMAS.get(strategy) ?? z.toJSONSchema(strategy.config, { io: 'input', unrepresentable: 'any' });
  SCHEMAS.set(strategy, known);
  return known;
}

/** The alternative JSON schemas of a value. */
function alternatives(schema: unknown): Record<string, unknown>[] {
  if (!isObject(schema)) return [];
  const inner: unknown[] = ['anyOf', 'oneOf', 'allOf'].map((name) => schema[name]);
  return [schema, ...inner.flatMap((list) => (Array.isArray(list) ? list.flatMap(alternatives) : []))];
}

function* unknownKeys(patch: unknown, schemas: readonly unknown[], path: string): Generator<FieldError> {
  if (!isObject(patch)) return;
  const fields = schemas.flatMap(alternatives).flatMap(({ properties }) => (isObject(properties) ? [properties] : []));
  for (const [key, value] of Object.entries(patch)) {
    const known = fields.flatMap((field) => (Object.hasOwn(field, key) ? [field[key]] : []));
    if (known.length === 0) yield { path: `${path}.${key}`, message: 'is not a known field' };
    else yield* unknownKeys(value, known, `${path}.${key}`);
  }
}

/** Keys of an override that the strategy does not know; a key that removes a setting must name an existing one. */
export const unknownPatchKeys = (strategy: AnyStrategy, patch: unknown, root: string): FieldError[] => [
  ...unknownKeys(patch, [schemaOf(strategy)], root),
];
