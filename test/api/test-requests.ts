import assert from 'node:assert/strict';
import { z } from 'zod';
import { isObject } from '#core/merge.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import type { Operation } from '#api/contract/operation.ts';
import { openApiOf, templateOf } from '#api/frame/openapi.ts';
import { EMAIL, type TestApi } from './test-api.ts';

/** Numbers from 0 to 1 that a seed decides (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const ODD: readonly unknown[] = [
  ...[
    '',
    ' ',
    '\u0000',
    '\ud800',
    "'; drop table users; --",
    '%',
    '../..',
    'x'.repeat(5000),
    '1e999',
    '-0',
    '٣',
    '__proto__',
  ],
  ...[0, -1, 1.5, 1e308, 2 ** 53, true, null, [], {}, [[]], { __proto__: 1 }, { constructor: {} }],
  ...['2026-01-01T00:00:00Z', '+275760-09-13T00:00:00Z', '0.00000001', '99999999999999999999999999', 'BTCUSDT'],
];

/** The largest values of a body of 64 KiB, and texts that take a naive parser seconds. */
const LONG = 60_000;
const LONG_DECIMAL = `0.${'0'.repeat(LONG)}1`;
const HOSTILE: readonly unknown[] = [
  ...[LONG_DECIMAL, '9'.repeat(LONG), ' '.repeat(LONG), ','.repeat(LONG), '='.repeat(LONG)],
  ...['"'.repeat(LONG / 2), 'é\u0301'.repeat(LONG / 4), `a${'a.'.repeat(LONG / 2)}@`, '[['.repeat(LONG / 2)],
  ...['buy.candleLimit=0..1000000000000:0.000001', 'buy.candleLimit=2..999;sell.stopLossPercentage=0.1..0.9:0.0001'],
  Object.fromEntries(Array.from({ length: 4_000 }, (_, i) => [`key${i}`, i])),
  Array.from({ length: 20_000 }, () => 1),
];
export const BODY_ODD = [...ODD, ...HOSTILE];
/** Half of them of the strategy that the profile has. */
const CONFIGS = [...STRATEGIES.values()]
  .flatMap((strategy) => Array.from({ length: strategy.name === 'trailing-trade' ? 3 : 1 }, () => strategy))
  .map(({ config }) => z.toJSONSchema(config, { io: 'input', unrepresentable: 'any' }));

/** Requests made from the contract. */
export class Generator {
  readonly random: () => number;
  readonly ids: readonly string[];
  constructor(seed: number, ids: readonly string[]) {
    this.random = randomOf(seed);
    this.ids = ids;
  }
  pick<Item>(items: readonly Item[]): Item {
    const item = items[Math.floor(this.random() * items.length)];
    if (item === undefined) throw new Error('There is nothing to pick from.');
    return item;
  }
  /** A value of a JSON schema, now and then an odd one that is not. */
  value(schema: unknown, odd: readonly unknown[], depth = 0): unknown {
    if (this.random() < 0.08 || depth > 8 || !isObject(schema)) return this.pick(odd);
    const { type, properties, required, items } = schema;
    const options = schema['anyOf'] ?? schema['oneOf'] ?? schema['enum'];
    if (Array.isArray(options))
      return schema['enum'] === undefined ? this.value(this.pick(options), odd, depth) : this.pick(options);
    if ('const' in schema) return schema['const'];
    if (type === 'object' && isObject(properties)) {
      const needed: unknown[] = Array.isArray(required) ? required : [];
      const kept = Object.entries(properties).filter(([name]) => this.random() < (needed.includes(name) ? 0.97 : 0.5));
      return Object.fromEntries(kept.map(([name, inner]) => [name, this.value(inner, odd, depth + 1)]));
    }
    if (type === 'array')
      return Array.from({ length: Math.floor(this.random() * 3) }, () => this.value(items, odd, depth + 1));
    if (type === 'object' && this.random() < 0.5) return this.value(this.pick(CONFIGS), odd, depth + 1);
    if (type === 'object') return { [this.pick(['a', 'buy', 'ema'])]: this.pick(odd) };
    if (type === 'boolean') return this.random() < 0.5;
    if (type === 'number' || type === 'integer') return this.pick([1, 2, 30, 100, 999, 1000, 86_400]);
    // Most texts of the contract are decimals.
    if (odd === BODY_ODD && this.random() < 0.2) return this.random() < 0.5 ? LONG_DECIMAL : this.pick(HOSTILE);
    return String(schema['pattern'] ?? '').includes('[0-9a-f]{8}') ? this.pick(this.ids) : this.text();
  }
  text(): string {
    return this.pick([
      ...this.ids,
      'BTCUSDT',
      'ETHUSDT',
      'name',
      '10.5',
      'trailing-trade',
      'hold',
      '2026-01-01T00:00:00Z',
      EMAIL,
    ]);
  }
}

interface Described {
  readonly operation: Operation;
  readonly query: [string, unknown][];
  readonly body: unknown;
}

function bodySchemaIn(requestBody: unknown): unknown {
  const content = isObject(requestBody) ? requestBody['content'] : undefined;
  const json = isObject(content) ? content['application/json'] : undefined;
  return isObject(json) ? json['schema'] : undefined;
}

/** The parts of an operation's requests, as JSON schemas. */
export function describe(operation: Operation): Described {
  const paths = openApiOf([operation])['paths'];
  const path = isObject(paths) ? paths[templateOf(operation.path)] : undefined;
  const entry = isObject(path) ? path[operation.method.toLowerCase()] : undefined;
  assert.ok(isObject(entry));
  const parameters: unknown[] = Array.isArray(entry['parameters']) ? entry['parameters'] : [];
  const query = parameters.flatMap((parameter): [string, unknown][] =>
    isObject(parameter) && parameter['in'] === 'query' ? [[String(parameter['name']), parameter['schema']]] : [],
  );
  return { operation, query, body: bodySchemaIn(entry['requestBody']) };
}

/** Allowed effects of a refused request: the use of its session or token, and its count. */
const LEFT_BEHIND = ['sessions', 'api_tokens', 'cache_entries', 'cache_list_heads', 'cache_lists', 'cache_hits'];

/** One statement that detects any change: rows and a digest of every table, and of the queue. */
export async function digestOf({ database: { pool } }: TestApi): Promise<() => Promise<string>> {
  const { rows } = await pool.query<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
  );
  const names = rows.map(({ name }) => `"${name}"`).filter((name) => !LEFT_BEHIND.includes(name.slice(1, -1)));
  const parts = [...names, 'pgboss.job'].map(
    (name) => `(select count(*) || ' ' || coalesce(sum(hashtextextended(t::text, 0)::numeric), 0) from ${name} t)`,
  );
  const text = `select concat_ws(', ', ${parts.join(', ')}) as digest`;
  return async () => (await pool.query<{ digest: string }>(text)).rows[0]?.digest ?? '';
}
