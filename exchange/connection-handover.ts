/** What a connection tells its owner. */
export interface ConnectionState {
  /** Everything wanted is acknowledged. */
  up(): void;
  /** The connection is gone; it tries again by itself. */
  down(cause: string): void;
  /** It works, but will end soon. */
  expiring(): void;
}

interface HandoverOptions<Connection> {
  readonly connect: (state: ConnectionState) => Connection;
  /** How long the old connection goes on beside its complete successor. */
  readonly overlapMs: number;
  readonly up: () => void;
  readonly down: (cause: string) => void;
}

/**
 * One connection at a time, changed without a gap: before it ends as planned a second one is made, and the first goes
 * on until the second has been complete for a while. Only a loss that leaves nothing behind is told as `down`.
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

  /** One, or two during a change. */
  all(): Connection[] {
    return this.#next === undefined ? [this.#current] : [this.#current, this.#next];
  }

  /** Gives up what is connected, without a successor: it is not to be trusted. */
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
      expiring: () => this.#succeed(connection),
    });
    return connection;
  }

  #connected(connection: Connection): void {
    // What the old connection still has on its way must arrive: the new one began later.
    if (connection === this.#next) this.#retiring ??= setTimeout(() => this.#promote(), this.#options.overlapMs);
    this.#up = true;
    this.#options.up();
  }

  #succeed(connection: Connection): void {
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
