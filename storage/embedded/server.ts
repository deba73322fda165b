import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Binaries } from './binaries.ts';
import { serverEnvironment } from './cluster.ts';
import type { ClusterHome } from './cluster-home.ts';
import { readOrChoosePort } from './port.ts';

export interface ServerWatch {
  /** Receives each line of the server's log. */
  readonly onLog?: (line: string) => void;
  /** Aborts a start; a running server is stopped through stop(). */
  readonly signal?: AbortSignal;
  /** Maximum number of connections; default 100. */
  readonly connections?: number;
}

interface RunningServer {
  readonly server: ChildProcess;
  readonly port: number;
}

/** Replaying the log after a crash comes before readiness and may take long. */
const readyLimitMs = 120_000;
/** After kill -9 of the server its sessions need a moment to notice; until then a new one refuses to start. */
const retryLimitMs = 15_000;

/** Retries the start until it succeeds: a port conflict and sessions of a killed predecessor are temporary. */
export async function startServer(home: ClusterHome, binaries: Binaries, watch: ServerWatch): Promise<RunningServer> {
  const deadline = performance.now() + retryLimitMs;
  for (;;) {
    const port = await readOrChoosePort(join(home.dataDir, 'port'));
    watch.signal?.throwIfAborted();
    const server = spawnServer({ home, binaries, port, connections: watch.connections ?? 100 });
    const outcome = await waitUntilReady(server, watch);
    if (outcome.kind === 'ready') return { server, port };
    watch.signal?.throwIfAborted();
    const passing = /Address already in use|is still in use/.test(outcome.log);
    if (!passing || performance.now() > deadline) {
      throw new Error(`PostgreSQL did not start in ${home.cluster}: ${outcome.log.trim()}`);
    }
    await sleep(100);
  }
}

interface ServerRun {
  readonly home: ClusterHome;
  readonly binaries: Binaries;
  readonly port: number;
  readonly connections: number;
}

function spawnServer(run: ServerRun): ChildProcess {
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(run.port),
    unix_socket_directories: '',
    max_connections: String(run.connections),
    shared_buffers: '64MB',
    log_destination: 'stderr',
    logging_collector: 'off',
    // Otherwise the log would hold the values of refused rows.
    log_error_verbosity: 'terse',
    log_timezone: 'UTC',
    timezone: 'UTC',
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return spawn(join(run.binaries.folder, 'bin', 'postgres'), ['-D', run.home.cluster, ...flags], {
    ...run.home.runAs,
    env: serverEnvironment,
    cwd: run.binaries.folder,
    stdio: ['ignore', 'ignore', 'pipe'],
    // Its own session: the terminal's Ctrl-C must not end the database before the processes that use it.
    detached: true,
  });
}

type StartOutcome = { readonly kind: 'ready' } | { readonly kind: 'ended'; readonly log: string };

async function waitUntilReady(server: ChildProcess, { onLog, signal }: ServerWatch): Promise<StartOutcome> {
  const { promise, resolve, reject } = Promise.withResolvers<StartOutcome>();
  const recent: string[] = [];
  if (server.stderr !== null) {
    createInterface({ input: server.stderr }).on('line', (line) => {
      onLog?.(line);
      if (recent.push(line) > 20) recent.shift();
      if (line.includes('database system is ready to accept connections')) resolve({ kind: 'ready' });
    });
  }
  server.once('error', (error) => reject(new Error(`PostgreSQL could not be started: ${error.message}`)));
  server.once('close', () => resolve({ kind: 'ended', log: recent.join('\n') }));
  const quit = () => server.kill('SIGQUIT');
  const limit = setTimeout(quit, readyLimitMs);
  signal?.addEventListener('abort', quit, { once: true });
  try {
    return await promise;
  } finally {
    clearTimeout(limit);
    signal?.removeEventListener('abort', quit);
  }
}
