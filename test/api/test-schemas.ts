import { z } from 'zod';
import { isObject } from '#core/merge.ts';

/** A text or a list that a request may hold; `wrap` returns a request that holds a value there. */
interface Place {
  readonly path: string;
  readonly json: Readonly<Record<string, unknown>>;
  readonly wrap: (value: unknown) => unknown;
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const fieldsOf = (value: unknown): [string, unknown][] => Object.entries(isObject(value) ? value : {});

/** Constant fields of an object, which select the part of a union that parses it. */
const constants = (properties: unknown): Record<string, unknown> =>
  Object.fromEntries(
    fieldsOf(properties).flatMap(([name, inner]) =>
      isObject(inner) && 'const' in inner ? [[name, inner['const']]] : [],
    ),
  );

/** Every text and list of a JSON schema, with the request around it. */
function* placesOf(schema: unknown, { path, wrap }: Pick<Place, 'path' | 'wrap'>): Generator<Place> {
  if (!isObject(schema)) return;
  for (const union of ['anyOf', 'oneOf', 'allOf'])
    for (const option of listOf(schema[union])) yield* placesOf(option, { path, wrap });
  const { type, properties, items, propertyNames, additionalProperties } = schema;
  const isClosed = schema['enum'] !== undefined || 'const' in schema;
  const types = [type].flat();
  if ((types.includes('string') || types.includes('array')) && !isClosed) yield { path, json: schema, wrap };
  yield* placesOf(items, { path: `${path}[]`, wrap: (value) => wrap([value]) });
  const fixed = constants(properties);
  for (const [name, inner] of fieldsOf(properties))
    yield* placesOf(inner, {
      path: path === '' ? name : `${path}.${name}`,
      wrap: (value) => wrap({ ...fixed, [name]: value }),
    });
  yield* placesOf(propertyNames, { path: `${path}{key}`, wrap: (value) => wrap({ [String(value)]: 'x' }) });
  yield* placesOf(additionalProperties, { path: `${path}{}`, wrap: (value) => wrap({ any: value }) });
}

export const requestPlaces = (schema: z.ZodType): Place[] => [
  ...placesOf(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }), { path: '', wrap: (value) => value }),
];
