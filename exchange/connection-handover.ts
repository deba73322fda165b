/** Callbacks of a connection to its owner. */
export interface ConnectionState {
  /** All subscriptions are acknowledged. */
  up(): void;
  /** The connection is lost; it reconnects automatically. */
  down(cause: string): void;
  /** The connection works but will end soon. */
  expiring(): void;
}

interface HandoverOptions<Connection> {
  readonly connect: (state: ConnectionState) => Connection;
  /** How long the old connection stays open next to its complete successor. */
  readonly overlapMs: number;
  readonly up: () => void;
  readonly down: (cause: string) => void;
}

/**
 * Keeps one connection and replaces it without a gap. Before its planned end a second connection opens; the first stays
 * until the second has been complete for `overlapMs`. `down` is called only when no working connection is left.
 */
export class ConnectionHandover<Connection extends AsyncDisposable & { restart(cause: string): void }>
  implements AsyncDisposable
{
  readonly #options: HandoverOptions<Connection>;
  #current: Connection;
  #next: Connection | undefined;
  #retiring: NodeJS.Timeout | undefined;
  readonly #closing = new Set<Promise<void>>();
  #up = false;

  constructor(options: HandoverOptions<Connection>) {
    this.#options = options;
    this.#current = this.#connect();
  }

  get isUp(): boolean {
    return this.#up;
  }

  /** One connection, or two during a handover. */
  all(): Connection[] {
    return this.#next === undefined ? [this.#current] : [this.#current, this.#next];
  }

  /** Restarts all connections without a handover, because their data is not reliable. */
  renew(cause: string): void {
    for (const connection of this.all()) connection.restart(cause);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#retiring);
    await Promise.all([...this.all().map((connection) => connection[Symbol.asyncDispose]()), ...this.#closing]);
  }

  #connect(): Connection {
    const connection: Connection = this.#options.connect({
      up: () => this.#connected(connection),
      down: (cause) => this.#lost(connection, cause),
      expiring: () => this.#openNext(connection),
    });
    return connection;
  }

  #connected(connection: Connection): void {
    // Events in flight on the old connection must still arrive: the new one started later.
    if (connection === this.#next) this.#retiring ??= setTimeout(() => this.#promote(), this.#options.overlapMs);
    this.#up = true;
    this.#options.up();
  }

  #openNext(connection: Connection): void {
    if (connection !== this.#current || this.#next !== undefined) return;
    this.#next = this.#connect();
  }

  #promote(): void {
    this.#stopRetiring();
    if (this.#next === undefined) return;
    const old = this.#current;
    this.#current = this.#next;
    this.#next = undefined;
    const closed = Promise.resolve(old[Symbol.asyncDispose]());
    this.#closing.add(closed);
    void closed.finally(() => this.#closing.delete(closed));
  }

  #lost(connection: Connection, cause: string): void {
    if (connection === this.#next) return this.#stopRetiring();
    if (connection !== this.#current) return;
    const replaced = this.#retiring !== undefined;
    if (this.#next !== undefined) this.#promote();
    if (replaced) return;
    this.#up = false;
    this.#options.down(cause);
  }

  #stopRetiring(): void {
    clearTimeout(this.#retiring);
    this.#retiring = undefined;
  }
}
