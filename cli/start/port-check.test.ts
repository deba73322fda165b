import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { test } from 'node:test';
import { claimPort } from './port-check.ts';

const HOST = '127.0.0.1';

test('a claimed port is nobody else’s until it is released', async () => {
  const claim = await claimPort(0, HOST);
  await assert.rejects(claimPort(claim.port, HOST), {
    message: `Port ${claim.port} is in use; choose another with --port N.`,
  });
  // Who calls before the api is there is refused and keeps nothing waiting.
  const caller = connect(claim.port, HOST);
  await once(caller, 'close');
  await claim.release();
  await claim.release();
  const server = createServer().listen(claim.port, HOST);
  await once(server, 'listening');
  server.close();
});
