import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { CacheEntry, CacheStore } from '#core/ports/cache.ts';
import { CacheError } from './cache-limits.ts';
import { openRelay, until } from '#test/harness/test-outage.ts';

interface CacheUnderTest {
  /** The server's URL; the suite reaches it through a relay that it can cut. */
  readonly url: () => string;
  readonly open: (url: string) => Promise<CacheStore>;
}

const used: string[] = [];
function key(): string {
  const name = `test:${randomUUID()}`;
  used.push(name);
  return name;
}

/** The server may be shared and may outlive the test run. */
async function removeKeys(cache: CacheStore): Promise<void> {
  for (const name of used.splice(0)) {
    for (const entry of (await cache.list(name)).keys()) await cache.delete(entry);
    await cache.delete(name);
  }
}
/** Tests that every cache store must pass, independent of its implementation. */
export function testCacheContract(under: CacheUnderTest): void {
  const withCache = (name: string, body: (cache: CacheStore) => Promise<void>): void => {
    test(name, async () => {
      await using cache = await under.open(under.url());
      await body(cache);
      await removeKeys(cache);
    });
  };
  testEntries(withCache);
  testPrefixes(withCache);
  testLists(withCache);
  testCounters(withCache);
  testMessages(withCache);
  testOutage(under);
}

type WithCache = (name: string, body: (cache: CacheStore) => Promise<void>) => void;

function testPrefixes(withCache: WithCache): void {
  withCache('values under several prefixes are read at once, each once', async (cache) => {
    const [one, two, other] = [key(), key(), key()];
    for (const name of [`${one}:a`, `${one}:b`, two, other]) await cache.set(name, `of ${name}`);
    const found = await cache.list(`${one}:`, two, `${one}:a`, key());
    assert.deepEqual(new Map(found), new Map([`${one}:a`, `${one}:b`, two].map((name) => [name, `of ${name}`])));
    assert.equal((await cache.list()).size, 0);
  });
}

function testEntries(withCache: WithCache): void {
  withCache('a value comes back byte for byte, and a second set replaces it', async (cache) => {
    const name = key();
    for (const value of ['', 'plain', '{"a":"\\u0000"}', 'Zürich 日本 🚀 \u2028', "quote ' \\ %", 'x'.repeat(20_000)]) {
      await cache.set(name, value);
      assert.equal(await cache.get(name), value);
    }
  });

  withCache('many values are set at once; each expires by its own time to live, or never', async (cache) => {
    const prefix = key();
    const values = Array.from({ length: 1_200 }, (_, i): [string, string] => [`${prefix}:${i}`, `value ${i}`]);
    await cache.set(`${prefix}:7`, 'soon gone', 30);
    const short = new Map([[`${prefix}:short`, { value: 'soon gone', ttlMs: 30 }]]);
    const long = new Map([[`${prefix}:long`, { value: 'stays', ttlMs: 3_600_000 }]]);
    await cache.setAll(new Map([...values.map(([name, value]): [string, CacheEntry] => [name, { value }]), ...long]));
    await cache.setAll(short);
    await cache.setAll(short);
    await cache.setAll(new Map());
    await until('the short one expires', async () => (await cache.get(`${prefix}:short`)) === undefined);
    assert.deepEqual(new Set(await cache.list(prefix)), new Set([...values, [`${prefix}:long`, 'stays']]));
    await assert.rejects(cache.setAll(new Map([[prefix, { value: 'a\0b' }]])), CacheError);
  });

  withCache('an absent or deleted key has no value', async (cache) => {
    const name = key();
    assert.equal(await cache.get(name), undefined);
    await cache.set(name, 'here');
    await cache.append(name, ['entry'], { cap: 5 });
    await cache.countInWindow(name, 60_000);
    await cache.delete(name);
    assert.equal(await cache.get(name), undefined);
    assert.deepEqual(await cache.newest(name, 5), []);
    assert.equal((await cache.countInWindow(name, 60_000)).count, 1);
  });

  withCache('a value leaves with its time to live; a set without one keeps it', async (cache) => {
    const [short, kept] = [key(), key()];
    await cache.set(short, 'soon gone', 30);
    await cache.set(kept, 'first', 30);
    await cache.set(kept, 'second');
    await until('the value expires', async () => (await cache.get(short)) === undefined);
    assert.equal((await cache.list(short)).size, 0);
    assert.equal(await cache.get(kept), 'second');
  });

  withCache('list returns exactly the live keys with the prefix', async (cache) => {
    const prefix = `${key()}:50%_*[a-z]?\\`;
    await cache.set(`${prefix}b`, '2');
    await cache.set(`${prefix}a`, '1');
    await cache.set(`${prefix.replace('*', 'x')}c`, 'other');
    await cache.set(`${prefix.replace('_', 'y')}d`, 'other');
    assert.deepEqual(
      [...(await cache.list(prefix))],
      [
        [`${prefix}a`, '1'],
        [`${prefix}b`, '2'],
      ],
    );
  });

  withCache('a NUL character or half a surrogate pair is refused with a sentence', async (cache) => {
    const name = key();
    await assert.rejects(cache.set(name, 'a\0b'), CacheError);
    await assert.rejects(cache.append(name, ['ok', '\ud800'], { cap: 5 }), CacheError);
    await assert.rejects(cache.publish(name, '\0'), CacheError);
    await assert.rejects(cache.get(`${name}\0`), CacheError);
    assert.deepEqual(await cache.newest(name, 5), []);
  });
}

function testLists(withCache: WithCache): void {
  withCache('newest returns entries newest first, with limit and skip', async (cache) => {
    const name = key();
    await cache.append(name, ['1', '2', '3'], { cap: 10 });
    await cache.append(name, [], { cap: 10 });
    await cache.append(name, ['4'], { cap: 10 });
    assert.deepEqual(await cache.newest(name, 10), ['4', '3', '2', '1']);
    assert.deepEqual(await cache.newest(name, 2, 1), ['3', '2']);
    assert.deepEqual(await cache.newest(name, 5, 3), ['1']);
    assert.deepEqual(await cache.newest(name, 5, 4), []);
    assert.deepEqual(await cache.newest(name, 0), []);
  });

  withCache('a list keeps its newest entries up to the cap', async (cache) => {
    const name = key();
    const all = Array.from({ length: 2_500 }, (_, i) => String(i));
    for (let i = 0; i < all.length; i += 50) await cache.append(name, all.slice(i, i + 50), { cap: 7 });
    assert.deepEqual(await cache.newest(name, 100), all.slice(-7).reverse());
    assert.deepEqual(await cache.newest(name, 100, 6), all.slice(-7, -6));
    await cache.append(name, all, { cap: 3 });
    assert.deepEqual(await cache.newest(name, 100), all.slice(-3).reverse());
  });

  withCache('a list leaves when nothing is appended to it for its time to live', async (cache) => {
    const [short, kept] = [key(), key()];
    await cache.append(short, ['1', '2'], { cap: 10, ttlMs: 30 });
    await cache.append(kept, ['1'], { cap: 10, ttlMs: 30 });
    await cache.append(kept, ['2'], { cap: 10, ttlMs: 3_600_000 });
    await until('the list expires', async () => (await cache.newest(short, 5)).length === 0);
    assert.deepEqual(await cache.newest(kept, 1), ['2']);
  });

  withCache('concurrent appends lose nothing and keep each batch together', async (cache) => {
    const name = key();
    const batches = Array.from({ length: 20 }, (_, i) => [`${i}:0`, `${i}:1`, `${i}:2`]);
    await Promise.all(batches.map((batch) => cache.append(name, batch, { cap: 1_000 })));
    const entries = (await cache.newest(name, 1_000)).reverse();
    const inThrees = entries.flatMap((_, i) => (i % 3 === 0 ? [entries.slice(i, i + 3)] : []));
    assert.deepEqual(inThrees.toSorted(byFirst), batches.toSorted(byFirst));
  });

  withCache('large batches of large entries fit', async (cache) => {
    const name = key();
    const batch = Array.from({ length: 200 }, (_, i) => `${i}${'é'.repeat(10_000)}`);
    await cache.append(name, batch, { cap: 150 });
    assert.deepEqual(await cache.newest(name, 1_000), batch.slice(-150).reverse());
  });
}

const byFirst = (a: readonly string[], b: readonly string[]): number => ((a[0] ?? '') < (b[0] ?? '') ? -1 : 1);

function testCounters(withCache: WithCache): void {
  withCache('a window counts every hit once, also under concurrency', async (cache) => {
    const name = key();
    const hits = await Promise.all(Array.from({ length: 25 }, () => cache.countInWindow(name, 60_000)));
    assert.deepEqual(
      hits.map((hit) => hit.count).toSorted((a, b) => a - b),
      Array.from({ length: 25 }, (_, i) => i + 1),
    );
    for (const { resetMs } of hits) assert.ok(resetMs > 0 && resetMs <= 60_000, `resetMs is ${resetMs}`);
  });

  withCache('hits leave the window', async (cache) => {
    const name = key();
    await cache.countInWindow(name, 60_000);
    await until('older hits leave', async () => (await cache.countInWindow(name, 5)).count === 1);
  });
}

function testMessages(withCache: WithCache): void {
  withCache('messages arrive in order at every subscriber of the channel, and at no other', async (cache) => {
    const [channel, other] = [key(), key()];
    const [first, second, elsewhere]: [string[], string[], string[]] = [[], [], []];
    await using _one = await cache.subscribe(channel, (message) => void first.push(message));
    const two = await cache.subscribe(channel, (message) => void second.push(message));
    await using _three = await cache.subscribe(other, (message) => void elsewhere.push(message));
    const sent = ['', 'ünïcode 🚀', "it's", ...Array.from({ length: 50 }, (_, i) => String(i))];
    for (const message of sent.slice(0, 25)) await cache.publish(channel, message);
    await cache.publish(channel, ...sent.slice(25));
    await until('all messages arrive', () => first.length >= sent.length && second.length >= sent.length);
    await two[Symbol.asyncDispose]();
    await cache.publish(channel, 'after');
    await until('the last message arrives', () => first.includes('after'));
    assert.deepEqual([first, second, elsewhere], [[...sent, 'after'], sent, []]);
  });

  withCache('a message up to 7,000 bytes arrives whole; a longer one is refused with a sentence', async (cache) => {
    const channel = key();
    const got: string[] = [];
    await using _subscription = await cache.subscribe(channel, (message) => void got.push(message));
    await cache.publish(channel, 'é'.repeat(3_500));
    await until('the message arrives', () => got.length > 0);
    assert.deepEqual(got, ['é'.repeat(3_500)]);
    await assert.rejects(cache.publish(channel, `${'é'.repeat(3_500)}x`), /7001 bytes is too long/);
  });
}

function testOutage(under: CacheUnderTest): void {
  test('a lost server fails commands with a sentence; commands and subscriptions recover automatically', async () => {
    await using relay = await openRelay(new URL(under.url()));
    await using cache = await under.open(relay.url);
    const [name, channel] = [key(), key()];
    const got: string[] = [];
    await using _subscription = await cache.subscribe(channel, (message) => void got.push(message));
    await cache.set(name, 'before');
    await relay.cut();
    await assert.rejects(cache.get(name), (error) => error instanceof CacheError && / at /.test(error.message));
    await assert.rejects(
      cache.append(name, ['secret-value'], { cap: 5 }),
      (error) => error instanceof CacheError && !error.message.includes('secret'),
    );
    const late = cache.subscribe(`${channel}:late`, (message) => void got.push(message));
    await relay.restore();
    await using _late = await late;
    await until('commands work again', () =>
      cache.get(name).then(
        (value) => value === 'before',
        () => false,
      ),
    );
    await until('the subscription receives messages again', async () => {
      await cache.publish(channel, 'again');
      return got.includes('again');
    });
    await cache.publish(`${channel}:late`, 'late');
    await until('the later subscription receives messages', () => got.includes('late'));
    await removeKeys(cache);
  });

  test('connections that are cut while idle cost nothing but a reconnect', async () => {
    await using relay = await openRelay(new URL(under.url()));
    await using cache = await under.open(relay.url);
    const name = key();
    await cache.set(name, 'kept');
    relay.dropConnections();
    await until('the value is read', () =>
      cache.get(name).then(
        (value) => value === 'kept',
        () => false,
      ),
    );
    await removeKeys(cache);
  });

  test('a server that is not there fails the opening with a sentence', async () => {
    const relay = await openRelay(new URL(under.url()));
    await relay[Symbol.asyncDispose]();
    await assert.rejects(
      under.open(relay.url),
      (error) => error instanceof CacheError && error.message.includes(new URL(relay.url).host),
    );
  });
}
