import { randomBytes, randomUUID } from 'node:crypto';
import { OPERATIONS } from '#api/contract/contract.ts';
import { readDashboard } from '#api/contract/records.ts';
import { isObject } from '#core/merge.ts';
import type { Behaviours } from './behaviours.ts';
import type { Visitor } from './visitor.ts';

const GETS = OPERATIONS.filter(({ method }) => method === 'GET');
const fieldsOf = (query: unknown): readonly string[] => {
  const shape: unknown = isObject(query) ? query['shape'] : undefined;
  return isObject(shape) ? Object.keys(shape) : [];
};
const LISTS = GETS.filter(({ query }) => fieldsOf(query).some((name) => name === 'limit' || name === 'cursor'));
const EXPORTS = GETS.filter(({ path }) => path.endsWith('/export'));
const FIRST = '1970-01-01T00:00:00Z';
const LAST = '9999-12-31T23:59:59Z';

/** The path of an operation on what the operator has. */
function pathOf(visitor: Visitor, path: string): string {
  const id = path.startsWith('/accounts') ? visitor.target.accountId : visitor.profile;
  return path.replace(':id', id).replace(':symbol', 'BTCUSDT').replaceAll(/:\w+/g, randomUUID());
}

const REQUIRED: Readonly<Record<string, (visitor: Visitor) => string>> = {
  profileId: (visitor) => visitor.profile,
  accountId: ({ target }) => target.accountId,
  symbol: () => 'BTCUSDT',
  interval: () => '1m',
  from: () => '2026-01-01T00:00:00Z',
  runs: () => `${randomUUID()},${randomUUID()}`,
};

/** Every GET operation with what it needs, and its largest page. */
function addressOf(visitor: Visitor, { path, query }: (typeof GETS)[number]): string {
  const search = fieldsOf(query).flatMap((name) => {
    const value = name === 'limit' ? '1000' : REQUIRED[name]?.(visitor);
    return value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`];
  });
  return `${pathOf(visitor, path)}?${search.join('&')}`;
}

const NUMBERS = ['0', '-1', '1e9', '999999999999999999999', 'NaN', '0x10', '1000.5', 'Infinity', '1e400', ''];
const PATTERNS = [
  '%',
  '_%'.repeat(100),
  '\\',
  '%a%b%c%d%e%f%g%h%'.repeat(10),
  '(a+)+$',
  "' or 1=1 --",
  '.*'.repeat(90),
];
const OUTSIDE = [
  '/../../etc/passwd',
  '/..%2f..%2fetc%2fpasswd',
  '/%2e%2e/%2e%2e/package.json',
  '/....//api-keys',
  '/.env',
];

/** Overloads all operations that only read. */
export const READS: Behaviours = {
  'reads every operation and searches the answers': async (visitor) => {
    for (const read of GETS) await visitor.get(addressOf(visitor, read));
  },
  'floods every list at its largest page': (visitor) =>
    visitor.many(LISTS.length, (i) => visitor.get(addressOf(visitor, LISTS[i] ?? readDashboard))),
  'asks for pages of impossible sizes': (visitor) =>
    visitor.many(10, (i) => {
      const number = NUMBERS[i % NUMBERS.length] ?? '';
      const name = ['limit', 'skip', 'before'][i % 3] ?? '';
      return visitor.get(
        `/profiles/${visitor.profile}/${['tick-trace', 'logs', 'config-history'][i % 3]}?${name}=${number}`,
      );
    }),
  'invents cursors': (visitor) =>
    visitor.many(10, (i) =>
      visitor.get(
        `${pathOf(visitor, LISTS[i % LISTS.length]?.path ?? '')}?cursor=${randomBytes(150 * (i % 2 === 0 ? 1 : 20)).toString('base64url')}`,
      ),
    ),
  'skips far into the trace of ticks': (visitor) =>
    visitor.many(8, (i) => visitor.get(`/profiles/${visitor.profile}/tick-trace?limit=1000&skip=${i * 10_000}`)),
  'searches logs with costly patterns': (visitor) =>
    visitor.many(8, (i) =>
      visitor.get(
        `/profiles/${visitor.profile}/logs?limit=1000&q=${encodeURIComponent(PATTERNS[i % PATTERNS.length] ?? '').slice(0, 600)}`,
      ),
    ),
  'asks for equity of all centuries': (visitor) =>
    visitor.many(8, () => visitor.get(`/profiles/${visitor.profile}/equity?limit=2000&from=${FIRST}&to=${LAST}`)),
  'adds up closed trades of all centuries': (visitor) =>
    visitor.many(8, () =>
      visitor.get(`/profiles/${visitor.profile}/closed-trades?period=day&from=${FIRST}&to=${LAST}`),
    ),
  'asks for candles of every interval and every past': (visitor) =>
    visitor.many(8, (i) => {
      const interval = ['1m', '5m', '1h', '1d'][i % 4];
      const before = new Date(Date.now() - Math.random() * 1e11).toISOString();
      return visitor.get(
        `/candles?profileId=${visitor.profile}&symbol=BTCUSDT&interval=${interval}&limit=1000&before=${before}`,
      );
    }),
  'asks for years of candles in columns': (visitor) =>
    visitor.many(6, (i) =>
      visitor.get(
        `/candles/columns?profileId=${visitor.profile}&symbol=${i % 2 ? 'ETHUSDT' : 'BTCUSDT'}&interval=1m&from=${new Date(Date.now() - 86_400_000 * (1 + Math.random() * 300)).toISOString()}`,
      ),
    ),
  'exports everything at once': (visitor) =>
    visitor.many(12, (i) => visitor.get(pathOf(visitor, EXPORTS[i % EXPORTS.length]?.path ?? ''))),
  'copies the whole audit log': async (visitor) => {
    let cursor = '';
    for (let page = 0; page < 20; page++) {
      const { text } = await visitor.get(`/audit-logs?limit=1000${cursor}`);
      const next = /"nextCursor":"([^"]+)"/.exec(text)?.[1];
      if (next === undefined) return;
      cursor = `&cursor=${encodeURIComponent(next)}`;
    }
  },
  'loads the dashboard without pause': (visitor) => visitor.many(10, () => visitor.get('/dashboard')),
  'enumerates coins': (visitor) =>
    visitor.many(10, (i) => {
      const symbol = `${randomBytes(3).toString('hex').toUpperCase()}USDT`;
      const many = Array.from({ length: 300 }, () => randomBytes(3).toString('hex').toUpperCase()).join(',');
      return i % 2 === 0
        ? visitor.get(`/profiles/${visitor.profile}/symbols/${symbol}`)
        : visitor.get(`/tickers?accountId=${visitor.target.accountId}&symbols=${many}`);
    }),
  'enumerates ids': (visitor) =>
    visitor.many(10, (i) =>
      visitor.get(
        [
          `/profiles/${randomUUID()}`,
          `/orders/${randomUUID()}/proof`,
          `/accounts/${randomUUID()}`,
          '/profiles/1',
          '/accounts/%00',
        ][i % 5] ?? '',
      ),
    ),
  'leaves the folder of the pages': (visitor) =>
    visitor.many(10, (i) => visitor.get(`/..${OUTSIDE[i % OUTSIDE.length]}`)),
  'reads the public pages without pause': (visitor) =>
    visitor.many(10, (i) =>
      visitor.get(['/status', '/health/ready', '/openapi.json', '/docs', '/onboarding'][i % 5] ?? '/status'),
    ),
};
