import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startEmbeddedPostgres } from '#storage/embedded/launch.ts';
import { findProgram } from './programs.ts';

/** Many schedules of faults at a time, each with a worker of its own. */
const CONNECTIONS = 300;
const CACHE_READY_LIMIT_MS = 10_000;

/** A temporary folder that is removed with the stack. */
async function temporaryFolder(stack: AsyncDisposableStack, name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `tradewind-${name}-`));
  // Root runs the server as another user, who must be able to enter: otherwise its files are elsewhere and outlive the test.
  await chmod(folder, 0o711);
  stack.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** The database of the tests: TEST_DATABASE_URL when set, else the embedded one in a temporary folder. */
export async function provideDatabase(stack: AsyncDisposableStack, signal: AbortSignal): Promise<string> {
  const given = process.env['TEST_DATABASE_URL'];
  if (given !== undefined && given !== '') return given;
  const dataDir = await temporaryFolder(stack, 'test-database');
  return stack.use(await startEmbeddedPostgres({ dataDir, signal, connections: CONNECTIONS })).adminUrl;
}

export const freePort = async (): Promise<number> => (await freePorts(1))[0] ?? 0;

/** Distinct free ports. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => {
    const address = server.address();
    server.close();
    if (address === null || typeof address === 'string') throw new Error('No free port was found.');
    return address.port;
  });
  await Promise.all(servers.map((server) => once(server, 'close')));
  return ports;
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    socket.write('PING\r\n');
    const reply: unknown[] = await once(socket, 'data');
    return String(reply[0]).startsWith('+PONG');
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

/**
 * The Redis or Valkey of the tests: TEST_CACHE_URL when set, else a server of this machine on a free port; undefined
 * where there is none.
 */
export async function provideCache(stack: AsyncDisposableStack): Promise<string | undefined> {
  const given = process.env['TEST_CACHE_URL'];
  if (given !== undefined && given !== '') return given;
  const program = findProgram(['redis-server', 'valkey-server']);
  if (program === undefined) return undefined;
  const [folder, port] = [await temporaryFolder(stack, 'test-cache'), await freePort()];
  const flags = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder];
  const child = spawn(program, flags, { stdio: 'ignore' });
  stack.defer(() => stop(child));
  const deadlineMs = performance.now() + CACHE_READY_LIMIT_MS;
  while (!(await answers(port))) {
    if (child.exitCode !== null || performance.now() > deadlineMs) throw new Error(`${program} did not start.`);
    await sleep(50);
  }
  return `redis://127.0.0.1:${port}`;
}
