import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { serverEnvironment } from './cluster.ts';
import type { ClusterHome } from './cluster-home.ts';

/** The other processes of a killed supervisor use the database for their last writes. */
const graceSeconds = 5;

/**
 * Ends the server when this process dies without stopping it (kill -9): a shell waits on a pipe that only this process holds open.
 * It acts only while the server's pid file still names the same process. Windows has no such shell and no guard.
 */
export function startGuard(home: ClusterHome, serverPid: number): ChildProcess | undefined {
  if (process.platform === 'win32') return undefined;
  const script = `read -r _
sleep ${graceSeconds}
read -r pid _ < "$1" && [ "$pid" = "$2" ] && kill -INT "$pid"`;
  const pidFile = join(home.cluster, 'postmaster.pid');
  const guard = spawn('/bin/sh', ['-c', script, 'tradewind-guard', pidFile, String(serverPid)], {
    ...home.runAs,
    env: serverEnvironment,
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  // Without a shell there is no guard; the next start still stops an orphaned server.
  guard.on('error', () => undefined);
  guard.stdin?.on('error', () => undefined);
  guard.unref();
  if (guard.stdin instanceof Socket) guard.stdin.unref();
  return guard;
}
