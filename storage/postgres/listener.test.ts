import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { Listener } from './listener.ts';

test('closing does not wait for a server that hangs up on a connection in the making', {
  timeout: 10_000,
}, async () => {
  const server = createServer((socket) => {
    // Sends nothing, and closes when the client times out.
    socket.on('end', () => socket.end());
    socket.resume();
  });
  server.unref().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  const listener = new Listener(`postgres://nobody@127.0.0.1:${address.port}/nothing`);
  const connected = once(server, 'connection');
  const refused = assert.rejects(
    listener.subscribe('news', () => {}),
    /closed/,
  );
  await connected;
  await listener[Symbol.asyncDispose]();
  await refused;
  server.close();
});
