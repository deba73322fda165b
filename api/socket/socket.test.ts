import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { EVENT_CHANNEL } from '#core/installation/cache-keys.ts';
import type { Topic } from '#core/installation/events.ts';
import { setKillSwitch } from '#api/contract/halts.ts';
import { signIn, signOut } from '#api/contract/session.ts';
import { type ServerFrame, serverFrame } from '#api/contract/socket.ts';
import { cookieOf, EMAIL, openTestApi, ORIGIN, PASSWORD, type TestApi } from '#test/api/test-api.ts';

let api: TestApi;
before(async () => {
  api = await openTestApi();
  await api.signUp();
});
after(() => api[Symbol.asyncDispose]());

const address = (path = '/api/ws'): string => `${api.url.replace('http', 'ws')}${path}`;

/** A socket that stores received frames; `next` waits for one more frame that is no heartbeat. */
class Listener {
  readonly socket: WebSocket;
  readonly #received: ServerFrame[] = [];
  #wake = () => {};

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data: Buffer) => {
      const frames = z.array(serverFrame).parse(JSON.parse(data.toString()));
      this.#received.push(...frames.filter((frame) => !('heartbeat' in frame)));
      this.#wake();
    });
  }

  async next(): Promise<ServerFrame> {
    for (;;) {
      const frame = this.#received.shift();
      if (frame !== undefined) return frame;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  say(frame: unknown): void {
    this.socket.send(JSON.stringify(frame));
  }
}

async function connect(cookie: string | null = api.cookie): Promise<Listener> {
  const socket = new WebSocket(address(), { origin: ORIGIN, headers: { cookie: cookie ?? '' } });
  const listener = new Listener(socket);
  await once(socket, 'open');
  return listener;
}

/** A connection whose subscription is in force: a ping answered later means that earlier frames were read. */
async function subscribed(...topics: Topic[]): Promise<Listener> {
  const listener = await connect();
  listener.say({ subscribe: topics });
  await settled(listener);
  return listener;
}

async function settled(listener: Listener): Promise<void> {
  listener.socket.ping();
  await once(listener.socket, 'pong');
}

async function statusOf(options: { path?: string; origin?: string; cookie?: string }): Promise<number> {
  const headers = options.cookie === undefined ? {} : { cookie: options.cookie };
  const socket = new WebSocket(address(options.path), {
    headers,
    ...(options.origin === undefined ? {} : { origin: options.origin }),
  });
  socket.on('error', () => {});
  const [, response] = await once(socket, 'unexpected-response');
  socket.terminate();
  return response.statusCode;
}

const publish = (topic: Topic, data: unknown, id?: string) =>
  api.cache.publish(EVENT_CHANNEL, JSON.stringify([{ topic, data, ...(id === undefined ? {} : { id }) }]));

const seqOf = (frame: Awaited<ReturnType<Listener['next']>>): number => frame.seq;

test('the upgrade needs a listed origin, then a session, then the right path', async () => {
  const cookie = api.cookie ?? '';
  assert.equal(await statusOf({ cookie }), 403);
  assert.equal(await statusOf({ cookie, origin: 'http://evil.example' }), 403);
  assert.equal(await statusOf({ origin: ORIGIN }), 401);
  assert.equal(await statusOf({ origin: ORIGIN, cookie: `tradewind_session=${'A'.repeat(43)}` }), 401);
  assert.equal(await statusOf({ origin: ORIGIN, cookie, path: '/api/other' }), 404);
});

test('events of subscribed topics arrive in order, others do not', async () => {
  const listener = await subscribed('tick', 'halt');
  await publish('price', { symbol: 'BTCUSDT' }, 'BTCUSDT');
  await publish('tick', { symbol: 'BTCUSDT' }, 'profile-1');
  await api.call(setKillSwitch, { body: { engaged: true } });
  const first = await listener.next();
  const second = await listener.next();
  assert.ok('topic' in first && 'topic' in second);
  assert.deepEqual([first.topic, first.id, first.data], ['tick', 'profile-1', { symbol: 'BTCUSDT' }]);
  assert.deepEqual([second.topic, second.data], ['halt', { scope: 'all', subject: 'all', engaged: true }]);
  assert.ok(second.seq > first.seq);
  listener.socket.terminate();
});

test('a client receives heartbeats without a subscription', async () => {
  const socket = new WebSocket(address(), { origin: ORIGIN, headers: { cookie: api.cookie ?? '' } });
  const [data] = await once(socket, 'message');
  assert.match(String(data), /^\[\{"heartbeat":true,"seq":\d+\}\]$/);
  socket.terminate();
});

test('a client that comes back gets what it missed, or word that it must fetch again', async () => {
  const away = await subscribed('tick');
  await publish('tick', { n: 1 });
  const seen = seqOf(await away.next());
  away.socket.terminate();
  const witness = await subscribed('tick');
  await publish('tick', { n: 2 });
  await publish('price', {});
  await publish('tick', { n: 3 });
  await witness.next();
  await witness.next();
  const back = await subscribed('tick');
  back.say({ since: seen });
  const missed = [await back.next(), await back.next()];
  assert.deepEqual(
    missed.map((frame) => 'data' in frame && frame.data),
    [{ n: 2 }, { n: 3 }],
  );
  back.say({ since: 0 });
  assert.ok('resync' in (await back.next()));
  back.say({ since: seqOf(missed[1] ?? { resync: true, seq: 0 }) + 1000 });
  assert.ok('resync' in (await back.next()));
  back.socket.terminate();
  witness.socket.terminate();
});

test('an invalid frame closes the socket', async () => {
  for (const frame of ['{', '{"subscribe":["weather"]}', '{"since":-1}', '[]']) {
    const listener = await connect();
    listener.socket.send(frame);
    const [code] = await once(listener.socket, 'close');
    assert.equal(code, 1008, frame);
  }
});

test('signing out closes the sockets of that session and no others', async () => {
  const reply = await api.send(signIn, { body: { email: EMAIL, password: PASSWORD } }, { cookie: null });
  const cookie = cookieOf(reply);
  const mine = await connect(cookie);
  const other = await subscribed('tick');
  const closed = once(mine.socket, 'close');
  await api.call(signOut, {}, { cookie });
  const [code] = await closed;
  assert.equal(code, 1008);
  await publish('tick', { still: 'here' });
  const frame = await other.next();
  assert.ok('data' in frame);
  assert.deepEqual(frame.data, { still: 'here' });
  other.socket.terminate();
});
