import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { z } from 'zod';
import { COIN_ACTIONS } from '#core/order/manual-order.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import { OPERATIONS } from '#api/contract/contract.ts';
import { requestPlaces } from '#test/api/test-schemas.ts';

/** Everything that parses what a caller sends. */
const SCHEMAS: readonly (readonly [string, z.ZodType])[] = [
  ...OPERATIONS.flatMap(({ method, path, params, query, body }) =>
    Object.entries({ params, query, body }).flatMap(([part, schema]): [string, z.ZodType][] =>
      schema === undefined ? [] : [[`${method} ${path} ${part}`, schema]],
    ),
  ),
  ...[...STRATEGIES.values()].map(({ name, config }): [string, z.ZodType] => [`config of ${name}`, config]),
  ...Object.entries(COIN_ACTIONS).map(([kind, schema]): [string, z.ZodType] => [`action ${kind}`, schema]),
];

/** True for an anchored pattern that repeats nothing without an end, such as that of an id. */
const boundsLength = (pattern: unknown): boolean =>
  typeof pattern === 'string' &&
  /^\^.*\$$/.test(pattern) &&
  !/[*+|]|,\}/.test(pattern.replaceAll(/\[[^\]]*\]/g, '').replaceAll(/\([^()]*\|[^()]*\)/g, ''));

test('every text and every list of a request has a largest size', () => {
  const unbounded = SCHEMAS.flatMap(([name, schema]) =>
    requestPlaces(schema)
      .filter(({ json }) => json['maxLength'] === undefined && json['maxItems'] === undefined)
      .filter(({ json }) => !boundsLength(json['pattern']))
      .map(({ path }) => `${name}: ${path}`),
  );
  assert.deepEqual(unbounded, []);
});

const SIZE = 5_000;
/** Texts on which a regex with nested or overlapping repetitions takes quadratic time or more. */
const HOSTILE: readonly ((size: number) => string)[] = [
  (size) => `0.${'0'.repeat(size)}1`,
  (size) => `-${'9'.repeat(size)}.`,
  (size) => `a${' '.repeat(size)}a`,
  (size) => ','.repeat(size),
  (size) => `a=${'1..'.repeat(size / 3)}:`,
  (size) => '='.repeat(size),
  (size) => '"'.repeat(size),
  (size) => `${'a.'.repeat(size / 2)}@`,
  (size) => `http://${'a@:/'.repeat(size / 4)}`,
  (size) => `2026-01-01T00:00:00.${'0'.repeat(size)}`,
  (size) => 'é\u0301'.repeat(size / 2),
];

function measure(schema: z.ZodType, value: unknown): number {
  const startMs = performance.now();
  schema.safeParse(value);
  return performance.now() - startMs;
}

/** Of three, so that a pause of the machine is no finding. */
const best = (schema: z.ZodType, value: unknown): number =>
  Math.min(...Array.from({ length: 3 }, () => measure(schema, value)));

/** Milliseconds below which a parse is fast enough whatever its law. */
const FAST_MS = 50;

test('a text four times as long takes no more than about four times as long to parse', () => {
  for (const [name, schema] of SCHEMAS)
    for (const { path, json, wrap } of requestPlaces(schema)) {
      if (json['type'] === 'array') continue;
      for (const hostile of HOSTILE) {
        const long = wrap(hostile(4 * SIZE));
        if (measure(schema, long) < FAST_MS) continue;
        const [shortMs, longMs] = [best(schema, wrap(hostile(SIZE))), best(schema, long)];
        assert.ok(
          longMs < FAST_MS || longMs < 10 * shortMs,
          `${name}: ${path} takes ${shortMs} ms for ${SIZE} characters, ${longMs} ms for ${4 * SIZE}`,
        );
      }
    }
});
