import { setTimeout as delay } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import { TOPICS } from '#core/installation/events.ts';
import type { Behaviours } from './behaviours.ts';
import type { Visitor } from './visitor.ts';

const head = (visitor: Visitor, line: string, more: readonly string[] = []): string =>
  [
    line,
    `host: ${new URL(visitor.target.url).host}`,
    `x-forwarded-for: ${visitor.address}`,
    'x-tradewind-client: 1',
    ...more,
  ].join('\r\n');
const GET = 'GET /api/auth/session HTTP/1.1';

/** Takes up connections, or sends on them what no client sends. */
export const CONNECTIONS: Behaviours = {
  'pipelines requests': async (visitor) => {
    const socket = await visitor.connection();
    socket.write(`${head(visitor, GET)}\r\n\r\n`.repeat(visitor.flooding ? 200 : 1));
    await visitor.pause(1000);
    await answered(visitor);
    socket.destroy();
  },
  'sends headers by the byte': async (visitor) => {
    const text = `${head(visitor, GET)}\r\n\r\n`;
    const sockets = await several(visitor, 20);
    for (const byte of visitor.flooding ? text.slice(0, 60) : [text]) {
      for (const socket of sockets) socket.write(byte);
      await visitor.pause(100);
    }
    await answered(visitor);
    for (const socket of sockets) socket.destroy();
  },
  'sends bodies by the byte': async (visitor) => {
    const start = head(visitor, 'PUT /api/kill-switch HTTP/1.1', [
      'content-type: application/json',
      'content-length: 60000',
    ]);
    const sockets = await several(visitor, 20);
    for (const socket of sockets) socket.write(`${start}\r\n\r\n{`);
    for (let i = 0; i < (visitor.flooding ? 60 : 1); i++) {
      await visitor.pause(100);
      for (const socket of sockets) socket.write(' ');
    }
    for (const socket of sockets) socket.destroy();
    await visitor.get('/auth/session');
  },
  'keeps hundreds of connections open': async (visitor) => {
    const sockets = await several(visitor, 300);
    for (const socket of sockets.slice(0, 2)) socket.write(`${head(visitor, GET)}\r\n\r\n`);
    await visitor.pause(5000);
    await answered(visitor);
    for (const socket of sockets) socket.destroy();
  },
  'opens and drops connections': async (visitor) => {
    for (const socket of await several(visitor, 20)) socket.destroy();
    await visitor.get('/status');
  },
  'reads exports by the byte': async (visitor) => {
    const sockets = await several(visitor, 10);
    for (const socket of sockets) {
      socket.write(`${head(visitor, `GET /api/profiles/${visitor.profile}/logs/export HTTP/1.1`)}\r\n\r\n`);
      if (visitor.flooding) socket.pause();
    }
    await visitor.pause(3000);
    for (const socket of sockets) socket.resume();
    await answered(visitor);
    for (const socket of sockets) socket.destroy();
  },
  'breaks the protocol': async (visitor) => {
    const lines = [
      'GET / HTTP/9.9',
      'POST /api/kill-switch HTTP/1.1\r\ncontent-length: 5\r\ntransfer-encoding: chunked',
      `${GET}\r\nx: ${'y'.repeat(20_000)}`,
      '\0\0\0\0',
    ];
    for (const line of lines) {
      const socket = await visitor.connection();
      socket.write(`${head(visitor, line)}\r\n\r\n`);
      await answered(visitor);
      socket.destroy();
    }
  },
  'opens WebSockets without pause': async (visitor) => {
    await visitor.many(15, async () => (await visitor.socket())?.terminate());
  },
  'opens WebSockets from many addresses': async (visitor) => {
    const sockets: (WebSocket | undefined)[] = [];
    await visitor.many(60, async (i) => sockets.push(await visitor.socket(`203.0.113.${i}`)));
    await visitor.pause(3000);
    closeAll(sockets);
  },
  'listens to everything': async (visitor) => {
    const socket = await visitor.socket();
    socket?.send(JSON.stringify({ subscribe: TOPICS }));
    await visitor.pause(5000);
    socket?.terminate();
  },
  'asks a WebSocket for the past again and again': async (visitor) => {
    const socket = await visitor.socket();
    socket?.send(JSON.stringify({ subscribe: TOPICS }));
    const since = Date.now() * 1000 - 60_000_000;
    for (let i = 0; i < (visitor.flooding ? 300 : 1) && socket?.readyState === 1; i++) {
      for (let n = 0; n < 20; n++) socket.send(JSON.stringify({ since: since + n }));
      socket.ping('x'.repeat(100));
      await visitor.pause(10);
    }
    socket?.terminate();
  },
  'pings a WebSocket without pause': async (visitor) => {
    const socket = await visitor.socket();
    for (let i = 0; i < (visitor.flooding ? 300 : 1) && socket?.readyState === 1; i++) {
      for (let n = 0; n < 100; n++) socket.ping();
      await visitor.pause(10);
    }
    socket?.terminate();
  },
  'talks nonsense to a WebSocket': async (visitor) => {
    for (const text of [
      '{',
      'x'.repeat(15_000),
      'x'.repeat(70_000),
      '{"subscribe":["nothing"]}',
      JSON.stringify({ since: -1 }),
    ]) {
      const socket = await visitor.socket();
      socket?.send(text);
      socket?.send(Buffer.alloc(1000));
      await visitor.pause(50);
      socket?.terminate();
    }
  },
  'never reads a WebSocket': async (visitor) => {
    const sockets: (WebSocket | undefined)[] = [];
    await visitor.many(8, async () => {
      const socket = await visitor.socket();
      sockets.push(socket);
      socket?.send(JSON.stringify({ subscribe: TOPICS }));
      socket?.pause();
    });
    await visitor.pause(5000);
    closeAll(sockets);
  },
};

async function several(visitor: Visitor, count: number) {
  return Promise.all(Array.from({ length: visitor.flooding ? count : 1 }, () => visitor.connection()));
}

/** Waits a moment for the next answer, so that not every round only breaks off. */
async function answered(visitor: Visitor): Promise<void> {
  const count = (): number => [...visitor.answers.values()].reduce((sum, n) => sum + n, 0);
  const before = count();
  for (let i = 0; i < 50 && count() === before; i++) await delay(20);
}

function closeAll(sockets: readonly (WebSocket | undefined)[]): void {
  for (const socket of sockets) socket?.terminate();
}
