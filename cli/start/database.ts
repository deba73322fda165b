import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#storage/embedded/launch.ts';
import { Backoff } from './backoff.ts';
import { LogFile } from './log-file.ts';
import type { Terminal } from './terminal.ts';

interface EmbeddedDatabasePlan {
  readonly dataDir: string;
  readonly logPath: string;
  readonly stopLimitMs: number;
  /** Called when a restarted server uses another port. */
  readonly onMoved: (url: string) => void;
  /** Aborts a running start. */
  readonly signal: AbortSignal;
}

/** The embedded PostgreSQL of a data folder. It is restarted after a crash, until it is stopped. */
export class EmbeddedDatabase implements AsyncDisposable {
  readonly #plan: EmbeddedDatabasePlan;
  readonly #terminal: Terminal;
  readonly #log: LogFile;
  readonly #backoff = new Backoff();
  readonly #stop = new AbortController();
  #server: EmbeddedPostgres | undefined;
  #work: Promise<unknown> = Promise.resolve();

  constructor(plan: EmbeddedDatabasePlan, terminal: Terminal) {
    this.#plan = plan;
    this.#terminal = terminal;
    this.#log = new LogFile(plan.logPath);
  }

  /** Starts the server and returns it; rejects with a sentence when it does not start. */
  async start(): Promise<EmbeddedPostgres> {
    const starting = this.#startOnce();
    this.#work = starting.catch(() => undefined);
    return starting;
  }

  /** Ends it by force and at once; for the moment before this process itself ends. */
  kill(): void {
    this.#stop.abort();
    this.#server?.kill();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#work;
    await this.#server?.stop(this.#plan.stopLimitMs);
    this.#log[Symbol.dispose]();
  }

  async #startOnce(): Promise<EmbeddedPostgres> {
    const startedMs = performance.now();
    const server = await startEmbeddedPostgres({
      dataDir: join(this.#plan.dataDir, 'postgres'),
      onLog: (line) => this.#log.append(line),
      signal: AbortSignal.any([this.#plan.signal, this.#stop.signal]),
    });
    this.#server = server;
    server.onExit(({ code, signal }) => {
      const end = signal === null ? `ended with code ${code}` : `was ended by ${signal}`;
      this.#work = this.#restart(server.url, end, performance.now() - startedMs);
    });
    return server;
  }

  async #restart(url: string, end: string, livedMs: number): Promise<void> {
    let reason = end;
    let lived = livedMs;
    while (!this.#stop.signal.aborted) {
      const pauseMs = this.#backoff.pauseAfter(lived);
      await sleep(pauseMs, undefined, { signal: this.#stop.signal }).catch(() => undefined);
      if (this.#stop.signal.aborted) return;
      this.#terminal.trouble('database', `${reason}; restarting after ${pauseMs / 1000} s.`);
      try {
        const server = await this.#startOnce();
        if (server.url !== url) this.#plan.onMoved(server.url);
        return;
      } catch (error) {
        reason = error instanceof Error ? error.message : String(error);
        lived = 0;
      }
    }
  }
}
