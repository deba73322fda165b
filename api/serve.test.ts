import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { isPortFree } from '#storage/embedded/port.ts';
import { openTestApi } from '#test/api/test-api.ts';
import { serveApi } from './serve.ts';

/** Waits for each step of the test, and does the next one: 1 the gate has its byte, 3 the request is sent or refused. */
const CLIENT = `
  const { connect } = require('node:net');
  const { parentPort, workerData: { gate, api, steps } } = require('node:worker_threads');
  const reach = (step) => { Atomics.store(steps, 0, step); Atomics.notify(steps, 0); };
  const request = 'POST /api/auth/sign-out HTTP/1.1\\r\\nhost: x\\r\\nconnection: close\\r\\ncontent-length: 0\\r\\n\\r\\n';
  const blocker = connect(gate, '127.0.0.1', () => parentPort.postMessage('ready'));
  parentPort.once('message', () => blocker.write('x', () => {
    reach(1);
    Atomics.wait(steps, 0, 1);
    let text = '';
    const socket = connect(api, '127.0.0.1', () => socket.write(request, () => reach(3)));
    socket.on('data', (data) => { text += data; });
    socket.on('error', (error) => { text += error.code; });
    socket.on('close', () => { reach(3); blocker.destroy(); parentPort.postMessage(text); });
  }));
`;

test('a request on a connection that is not accepted yet when the api stops is answered', async () => {
  await using api = await openTestApi();
  await using stack = new AsyncDisposableStack();
  const server = await serveApi(api.context, { host: '127.0.0.1', port: 0 });
  const steps = new Int32Array(new SharedArrayBuffer(4));
  const gate = createServer((socket) =>
    socket.once('data', () => {
      // Keeps this turn of the event loop from ending before the request is sent.
      Atomics.store(steps, 0, 2);
      Atomics.notify(steps, 0);
      assert.notEqual(Atomics.wait(steps, 0, 2, 10_000), 'timed-out');
    }),
  );
  gate.listen(0, '127.0.0.1');
  await once(gate, 'listening');
  stack.defer(() => {
    gate.close();
  });
  const ports = { gate: (gate.address() as AddressInfo).port, api: server.port };
  const client = new Worker(CLIENT, { eval: true, workerData: { ...ports, steps } });
  stack.defer(async () => {
    await client.terminate();
  });
  await once(client, 'message');
  const answered = once(client, 'message');
  client.postMessage('go');
  assert.notEqual(Atomics.wait(steps, 0, 0, 10_000), 'timed-out');
  await server[Symbol.asyncDispose]();
  const [text] = await answered;
  assert.match(String(text), /^HTTP\/1\.1 4\d\d /);
});

test('an answer that is in progress when the api stops is the last one of its connection', async () => {
  await using api = await openTestApi();
  const server = await serveApi(api.context, { host: '127.0.0.1', port: 0 });
  await using stack = new AsyncDisposableStack();
  const socket = stack.adopt(connect(server.port, '127.0.0.1'), (open) => {
    open.destroy();
  });
  const head = [
    'POST /api/auth/sign-in HTTP/1.1',
    'host: x',
    'x-tradewind-client: 1',
    'content-type: application/json',
    'content-length: 2',
  ];
  // The server answers "continue" when it has the head of the request.
  socket.write(`${head.join('\r\n')}\r\nexpect: 100-continue\r\n\r\n`);
  const [begun] = await once(socket, 'data');
  assert.match(String(begun), /^HTTP\/1\.1 100 /);
  const stopped = server[Symbol.asyncDispose]();
  while (!(await isPortFree(server.port))) await nextTurn();
  socket.write('{}');
  const [text] = await once(socket, 'data');
  await stopped;
  assert.match(String(text), /^HTTP\/1\.1 4\d\d [^]*\r\nconnection: close\r\n/i);
});
