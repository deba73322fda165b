import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { saveApiKey } from '#api/contract/accounts.ts';
import { OPERATIONS } from '#api/contract/contract.ts';
import { saveNotifier } from '#api/contract/notifiers.ts';
import type { Operation } from '#api/contract/operation.ts';
import { signIn } from '#api/contract/session.ts';
import { cookieOf, EMAIL, openTestApi, PASSWORD, problemOf, type Reply } from '#test/api/test-api.ts';
import { BODY_ODD, describe, digestOf, Generator, ODD } from '#test/api/test-requests.ts';

const REQUESTS = Number(process.env['FUZZ_REQUESTS'] ?? 1000);
const SEED = Number(process.env['FUZZ_SEED'] ?? 1);

/** These reach other servers, remove what the rest is about, or cost a password hash each: tests of their own look at them. */
const isLeftOut = ({ method, path }: Operation): boolean =>
  LEFT_OUT.test(path) || (method === 'DELETE' && /^\/(accounts|profiles)\/:id$/.test(path));
const LEFT_OUT = /\/test$|^\/restore$|^\/backup$|^\/auth\/(sign-up|change-password)$/;

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
