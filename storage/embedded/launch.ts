import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { adoptFolder } from './adopt.ts';
import { prepareBinaries } from './binaries.ts';
import { createCluster, readOrMakePassword, readPassword, superuser } from './cluster.ts';
import { type ClusterHome, openClusterHome } from './cluster-home.ts';
import { startGuard } from './guard.ts';
import { stopOrphan } from './orphan.ts';
import { OwnerLock } from './owner-lock.ts';
import { type ServerWatch, startServer } from './server.ts';
import { databaseName, prepareService, serviceRole } from './service-role.ts';

interface EmbeddedPostgresOptions extends ServerWatch {
  /** Created when absent; used only by the embedded database. */
  readonly dataDir: string;
}

interface ServerExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/**
 * Starts the PostgreSQL server that comes with the package, on 127.0.0.1 only, with its database created.
 * Rejects with a sentence when the folder is in use, belongs to another user, or the server does not come up.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const binaries = prepareBinaries(join(options.dataDir, 'programs'));
  const home = openClusterHome(options.dataDir, binaries.asRoot);
  const taken = OwnerLock.take(home.home);
  if (taken.kind === 'held') {
    throw new Error(`The database in ${home.home} is in use by process ${taken.owner.pid}: stop that first.`);
  }
  try {
    await stopOrphan(home.cluster);
    if (home.formerUid !== undefined && home.runAs !== undefined) adoptFolder(home.cluster, home.formerUid, home.runAs);
    const password = readPassword(home);
    const servicePassword = readOrMakePassword(join(home.dataDir, 'service-password'));
    await createCluster({ home, binaries, password, signal: options.signal });
    const { server, port } = await startServer(home, binaries, options);
    const address = `127.0.0.1:${port}`;
    const adminUrl = `postgres://${superuser}:${password}@${address}/postgres`;
    const postgres = new EmbeddedPostgres({
      url: `postgres://${serviceRole}:${servicePassword}@${address}/${databaseName}`,
      adminUrl,
      version: binaries.version,
      server,
      lock: taken.lock,
      home,
    });
    try {
      await prepareService(adminUrl, servicePassword);
    } catch (error) {
      await postgres.stop();
      throw error;
    }
    return postgres;
  } catch (error) {
    taken.lock.release();
    throw error;
  }
}

interface EmbeddedPostgresParts {
  readonly url: string;
  readonly adminUrl: string;
  readonly version: string;
  readonly server: ChildProcess;
  readonly lock: OwnerLock;
  readonly home: ClusterHome;
}

/** A running server; disposing it stops it. */
export class EmbeddedPostgres implements AsyncDisposable {
  /** Connection URL of the database `tradewind` for the service, whose role owns it and is not a superuser. */
  readonly url: string;
  /** Connection URL of the superuser, for callers that create databases. */
  readonly adminUrl: string;
  readonly version: string;
  /** Folder of the database files. */
  readonly folder: string;
  readonly pid: number;
  readonly #server: ChildProcess;
  readonly #ended: Promise<ServerExit>;
  #stopping = false;

  constructor(parts: EmbeddedPostgresParts) {
    this.url = parts.url;
    this.adminUrl = parts.adminUrl;
    this.version = parts.version;
    this.folder = parts.home.cluster;
    this.pid = parts.server.pid ?? 0;
    this.#server = parts.server;
    const guard = startGuard(parts.home, this.pid);
    const { promise, resolve } = Promise.withResolvers<ServerExit>();
    this.#ended = promise;
    const ended = (code: number | null, signal: NodeJS.Signals | null) => {
      guard?.kill('SIGKILL');
      parts.lock.release();
      resolve({ code, signal });
    };
    if (parts.server.exitCode === null && parts.server.signalCode === null) parts.server.once('exit', ended);
    else ended(parts.server.exitCode, parts.server.signalCode);
  }

  /** Calls back once when the server exits unexpectedly. */
  onExit(callback: (exit: ServerExit) => void): void {
    void this.#ended.then((exit) => {
      if (!this.#stopping) callback(exit);
    });
  }

  /** Kills it at once; the next start recovers what was committed. */
  kill(): void {
    this.#stopping = true;
    this.#server.kill('SIGQUIT');
  }

  /** Stops within about `limitMs`: a clean shutdown, else an immediate one with recovery at the next start, else a kill. */
  async stop(limitMs = 10_000): Promise<void> {
    this.#stopping = true;
    const steps = [
      ['SIGINT', limitMs * 0.7],
      ['SIGQUIT', limitMs * 0.2],
      ['SIGKILL', limitMs * 0.1],
    ] as const;
    for (const [signal, waitMs] of steps) {
      this.#server.kill(signal);
      const gone = await Promise.race([this.#ended.then(() => true), sleep(waitMs, false, { ref: false })]);
      if (gone) return;
    }
    await this.#ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}
