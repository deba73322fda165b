import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { z } from 'zod';
import { isObject } from '#core/merge.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import { saveApiKey } from '#api/contract/accounts.ts';
import { OPERATIONS } from '#api/contract/contract.ts';
import { saveNotifier } from '#api/contract/notifiers.ts';
import type { Operation } from '#api/contract/operation.ts';
import { signIn } from '#api/contract/session.ts';
import { openApiOf, templateOf } from '#api/frame/openapi.ts';
import { cookieOf, EMAIL, openTestApi, PASSWORD, problemOf, type Reply, type TestApi } from '#test/api/test-api.ts';

const REQUESTS = Number(process.env['FUZZ_REQUESTS'] ?? 1000);
const SEED = Number(process.env['FUZZ_SEED'] ?? 1);

/** These reach other servers, remove what the rest is about, or cost a password hash each: tests of their own look at them. */
const isLeftOut = ({ method, path }: Operation): boolean =>
  LEFT_OUT.test(path) || (method === 'DELETE' && /^\/(accounts|profiles)\/:id$/.test(path));
const LEFT_OUT = /\/test$|^\/restore$|^\/backup$|^\/auth\/(sign-up|change-password)$/;

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

const ODD: readonly unknown[] = [
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
const BODY_ODD = [...ODD, ...HOSTILE];
/** Half of them of the strategy that the profile has. */
const CONFIGS = [...STRATEGIES.values()]
  .flatMap((strategy) => Array.from({ length: strategy.name === 'trailing-trade' ? 3 : 1 }, () => strategy))
  .map(({ config }) => z.toJSONSchema(config, { io: 'input', unrepresentable: 'any' }));

class Generator {
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

function describe(operation: Operation): Described {
  const paths = openApiOf([operation])['paths'];
  const path = isObject(paths) ? paths[templateOf(operation.path)] : undefined;
  const entry = isObject(path) ? path[operation.method.toLowerCase()] : undefined;
  assert.ok(isObject(entry));
  const parameters: unknown[] = Array.isArray(entry['parameters']) ? entry['parameters'] : [];
  const query = parameters.flatMap((parameter): [string, unknown][] =>
    isObject(parameter) && parameter['in'] === 'query' ? [[String(parameter['name']), parameter['schema']]] : [],
  );
  const body = JSON.stringify(entry['requestBody'] ?? null);
  return { operation, query, body: JSON.parse(body)?.content?.['application/json']?.schema };
}

/** Allowed effects of a refused request: the use of its session, and its count. */
const LEFT_BEHIND = ['sessions', 'cache_entries', 'cache_list_heads', 'cache_lists', 'cache_hits'];

/** One statement that detects any change: rows and a digest of every table, and of the queue. */
async function digestOf({ database: { pool } }: TestApi): Promise<() => Promise<string>> {
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

/** Of a processor, so that other work on the machine is not counted; an answer that is slower than SLOW_MS hangs. */
const MAX_CPU_MS = 2_000;
const SLOW_MS = 10_000;
/** One-time allocations, such as compiled code and caches, are complete after a fifth of the requests. */
const WARM = 0.2;
const MAX_GROWTH = 64 * 2 ** 20;

setFlagsFromString('--expose-gc');
const collect: unknown = runInNewContext('gc');

/** Memory in use once garbage is gone. */
function heapBytes(): number {
  if (typeof collect === 'function') collect();
  return process.memoryUsage().heapUsed;
}

/** Measures each request, and the memory that all of them leave behind. */
class Watch {
  #slowest = { ms: 0, cpuMs: 0, request: 0 };
  #warm: number | undefined;
  async during(request: number, work: () => Promise<Reply>): Promise<Reply> {
    if (request >= REQUESTS * WARM) this.#warm ??= heapBytes();
    const [startMs, before] = [performance.now(), process.cpuUsage()];
    const reply = await work();
    const { user, system } = process.cpuUsage(before);
    const [ms, cpuMs] = [performance.now() - startMs, (user + system) / 1000];
    if (ms > this.#slowest.ms) this.#slowest = { ms, cpuMs, request };
    assert.ok(ms < SLOW_MS && cpuMs < MAX_CPU_MS, `seed ${SEED}, request ${request} took ${ms} ms, ${cpuMs} of CPU`);
    return reply;
  }
  ended(): string {
    const grown = heapBytes() - (this.#warm ?? 0);
    assert.ok(grown < MAX_GROWTH, `memory grew by ${grown} bytes`);
    const { ms, cpuMs, request } = this.#slowest;
    return `slowest: request ${request}, ${Math.round(ms)} ms (${Math.round(cpuMs)} ms CPU); memory grew by ${grown} bytes`;
  }
}

test(`${REQUESTS} requests, right and wrong in every part: never a 500, never a secret, never half a change, always as the contract says`, async (context) => {
  await using api = await openTestApi({ paperKey: { apiKey: 'CANARY-key-1111', secret: 'CANARY-secret' } });
  await api.signUp();
  const { account, profile } = await api.addProfile('Fuzzed', { symbols: ['BTCUSDT'] });
  const key = { label: 'l', apiKey: 'CANARY-api-key-8888', secret: 'CANARY-secret-2' };
  await api.send(saveApiKey, { params: { id: account.id }, body: key });
  const secrets = { url: 'http://CANARY.invalid/hook', signingKey: 'CANARY-signing' };
  await api.call(saveNotifier, { params: { id: profile.id, provider: 'webhook' }, body: { secrets } });
  const generator = new Generator(SEED, [account.id, profile.id, '01890000-0000-7000-8000-000000000000']);
  const described = OPERATIONS.filter((operation) => !isLeftOut(operation)).map(describe);
  const digest = await digestOf(api);
  let state = await digest();
  const statuses = new Map<number, number>();
  const watch = new Watch();
  let signedIn = 0;
  for (let i = 0; i < REQUESTS; i++) {
    const { operation, query, body } = described[i % described.length] ?? generator.pick(described);
    const place = operation.path.replaceAll(/:(\w+)/g, (_, name: string) => {
      if (generator.random() < 0.05) return encodeURIComponent(String(generator.pick(ODD)).toWellFormed());
      if (name === 'id') return operation.path.startsWith('/accounts') ? account.id : profile.id;
      return encodeURIComponent(generator.pick(['BTCUSDT', 'webhook', 'slack', '1', '2', ...generator.ids]));
    });
    const search = new URLSearchParams(
      query.flatMap(([name, schema]) =>
        generator.random() < 0.3 ? [[name, String(generator.value(schema, ODD)).toWellFormed()]] : [],
      ),
    ).toString();
    const path = `/api${place}${search === '' ? '' : `?${search}`}`;
    const headers = {
      'content-type': 'application/json',
      'x-forwarded-for': `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`,
    };
    const sent =
      body === undefined ? { headers } : { headers, body: JSON.stringify(generator.value(body, BODY_ODD)) ?? 'null' };
    const reply = await watch.during(i, () => api.request(operation.method, path, sent));
    const where = `seed ${SEED}, request ${i}: ${operation.method} ${path} ${String(sent.body ?? '').slice(0, 2000)} gave ${reply.text.slice(0, 500)}`;
    statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
    assert.ok(reply.status < 500 || reply.status === 502, where);
    if (operation.method !== 'GET') {
      const now = await digest();
      assert.ok(reply.status < 400 || now === state, `refused, but something is different: ${where}`);
      state = now;
    }
    assert.ok(!/CANARY|argon2/.test(reply.text), where);
    if (reply.status >= 400) problemOf(reply);
    else if (operation.response !== undefined)
      assert.ok(operation.response.safeParse(JSON.parse(reply.text)).success, where);
    if (reply.status !== 401 || operation.auth === 'public') continue;
    // A sign-out, or the end of this session, was among the requests.
    const again = { headers: { 'x-forwarded-for': `11.0.${signedIn >> 8}.${signedIn++ & 255}` }, cookie: null };
    api.cookie = cookieOf(await api.send(signIn, { body: { email: EMAIL, password: PASSWORD } }, again));
  }
  context.diagnostic(watch.ended());
  context.diagnostic(JSON.stringify([...statuses].toSorted(([a], [b]) => a - b)));
  const good = [200, 201, 202, 204].reduce((sum, status) => sum + (statuses.get(status) ?? 0), 0);
  assert.ok(good > REQUESTS / 10, `enough of them were good: ${JSON.stringify([...statuses])}`);
});
