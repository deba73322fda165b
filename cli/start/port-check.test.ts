import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { test } from 'node:test';
import { claimPort, startOnFreePorts } from './port-check.ts';
import { StartProblem } from './start-problem.ts';

const HOST = '127.0.0.1';

test('a claimed port is nobody else’s until it is released', async () => {
  const claim = await claimPort(0, HOST);
  await assert.rejects(claimPort(claim.port, HOST), {
    message: `Port ${claim.port} is in use; choose another port with --port N.`,
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

test('a program whose port was taken since it was chosen is started on another; any other failure is told', async () => {
  await using stack = new AsyncDisposableStack();
  const choices: number[] = [];
  const choose = async (): Promise<readonly [number]> => {
    const claim = await claimPort(0, HOST);
    await claim.release();
    choices.push(claim.port);
    return [claim.port];
  };
  const starts: number[] = [];
  const ports = await startOnFreePorts(choose, async ([port]) => {
    starts.push(port);
    if (starts.length > 2) return;
    const other = await claimPort(port, HOST);
    stack.defer(() => other.release());
    throw new StartProblem(`Port ${port} is already in use.`);
  });
  assert.deepEqual([starts, ports], [choices, [choices[2]]]);

  const broken = new StartProblem('The file cannot be read.');
  const failing = startOnFreePorts(choose, async () => Promise.reject(broken));
  await assert.rejects(failing, broken);
  assert.equal(choices.length, 4, 'what does not hang on a port is not tried again');
});
