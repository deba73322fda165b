import { z } from 'zod';
import type { AccountEvent, ExchangeClock, OpenAccountStream } from '#core/ports/exchange.ts';
import { readExactJson } from './json.ts';
import { createLinkState } from './link-state.ts';
import { readUserEvent } from '#exchange/parse/user-events.ts';
import { createSigner, type Signer } from './signing.ts';
import { LiveSocket, SOCKET_TIMING, type SocketTiming } from './socket.ts';
import { type ConnectionState, ConnectionHandover } from './connection-handover.ts';

interface AccountStreamOptions {
  readonly wsApiUrl: string;
  readonly apiKey: string;
  readonly secret: string;
  readonly clock: ExchangeClock;
  readonly timing?: SocketTiming;
}

const REPLY_WAIT_MS = 10_000;
const RECEIVE_WINDOW_MS = 5_000;
/** Pause after a refused key: an earlier attempt would be refused again. */
const REFUSED_DELAY_MS = 30_000;
const BAD_CLOCK = -1021;

const reply = z.object({
  /** Null when the exchange ends a session on its own. */
  id: z.number().nullable(),
  status: z.number(),
  error: z
    .object({ code: z.number(), msg: z.string(), data: z.object({ retryAfter: z.number().optional() }).optional() })
    .optional(),
});
const wrapped = z.object({ event: z.unknown() });

/**
 * Opens the account's event stream on the WebSocket API. An Ed25519 key logs its connection on; other keys sign the
 * subscription. `connected` follows the acknowledged subscription, and follows again after each break: the caller must
 * read the events in between over REST. A planned change of connection is no break; during one, events may arrive
 * twice. Throws KeyFormatError when the key or secret cannot sign.
 */
export function createAccountStream(options: AccountStreamOptions): OpenAccountStream {
  const signer = createSigner(options);
  return (onEvent) => {
    const link = createLinkState(onEvent);
    const updatedMs = new Map<string, number>();
    const balances = newestBalances(updatedMs, onEvent);
    return new ConnectionHandover({
      connect: (state) => new UserConnection(options, signer, { ...state, event: onEvent, balances }),
      overlapMs: (options.timing ?? SOCKET_TIMING).overlapMs,
      up: link.up,
      down(cause) {
        updatedMs.clear();
        link.down(cause);
      },
    });
  };
}

interface UserHandlers extends ConnectionState {
  event(event: AccountEvent): void;
  balances(event: Balances, updatedMs: number): void;
}

type Balances = Extract<AccountEvent, { kind: 'balances' }>;

/** Forwards a balance only when it is not older than the last one of its asset: two connections may mix the order. */
function newestBalances(newestMs: Map<string, number>, forward: (event: Balances) => void): UserHandlers['balances'] {
  return (event, updatedMs) => {
    const fresh = Object.entries(event.balances).filter(([asset]) => updatedMs >= (newestMs.get(asset) ?? 0));
    for (const [asset] of fresh) newestMs.set(asset, updatedMs);
    if (fresh.length > 0) forward({ ...event, balances: Object.fromEntries(fresh) });
  };
}

class UserConnection implements AsyncDisposable {
  readonly #socket: LiveSocket;
  readonly #signer: Signer;
  readonly #clock: ExchangeClock;
  readonly #handlers: UserHandlers;
  #unanswered: NodeJS.Timeout | undefined;
  #requestId = 0;
  /** True once session.logon succeeded on this connection. */
  #loggedOn = false;

  constructor(options: AccountStreamOptions, signer: Signer, handlers: UserHandlers) {
    this.#signer = signer;
    this.#clock = options.clock;
    this.#handlers = handlers;
    this.#socket = new LiveSocket(
      options.wsApiUrl,
      {
        open: () => {
          this.#loggedOn = false;
          this.#subscribe();
        },
        message: (text) => this.#received(text),
        closed: (cause) => {
          clearTimeout(this.#unanswered);
          handlers.down(cause);
        },
        expiring: () => handlers.expiring(),
      },
      options.timing,
    );
    // An account may have no events for hours; only pings show whether the connection is alive.
    this.#socket.quiet = true;
  }

  restart(cause: string): void {
    this.#socket.restart(cause);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#unanswered);
    await this.#socket[Symbol.asyncDispose]();
  }

  #subscribe(): void {
    if (this.#signer.kind === 'ed25519' && !this.#loggedOn) this.#request('session.logon', this.#signed());
    else if (this.#loggedOn) this.#request('userDataStream.subscribe', {});
    else this.#request('userDataStream.subscribe.signature', this.#signed());
  }

  #signed(): Readonly<Record<string, string | number>> {
    return this.#signer.signMessage({ recvWindow: RECEIVE_WINDOW_MS, timestamp: this.#clock.protocolMs() });
  }

  #request(method: string, params: Readonly<Record<string, string | number>>): void {
    this.#requestId += 1;
    this.#socket.send(JSON.stringify({ id: this.#requestId, method, params }));
    clearTimeout(this.#unanswered);
    this.#unanswered = setTimeout(
      () => this.#socket.restart('The exchange did not answer the subscription.'),
      REPLY_WAIT_MS,
    );
  }

  #received(text: string): void {
    const body = readExactJson(text);
    if (body === undefined) return this.#socket.restart('The exchange sent text that is no JSON.');
    const answer = reply.safeParse(body);
    if (answer.success) return this.#answered(answer.data);
    const frame = wrapped.safeParse(body);
    if (!frame.success) return undefined;
    const event = readUserEvent(frame.data.event, new Date(this.#clock.protocolMs()));
    switch (event.kind) {
      case 'event':
        return this.#handlers.event(event.event);
      case 'balances':
        return this.#handlers.balances(event.event, event.updatedMs);
      case 'terminated':
        this.#handlers.down('The exchange ended the event stream.');
        return this.#subscribe();
      case 'shutdown':
        return this.#socket.expire('The exchange announced that it closes the connection.');
      case 'unreadable':
        return this.#socket.restart('The exchange sent an account event that cannot be read.');
      case 'other':
        return undefined;
    }
  }

  #answered({ id, status, error }: z.infer<typeof reply>): void {
    if (id !== this.#requestId && id !== null) return undefined;
    clearTimeout(this.#unanswered);
    if (status === 200) return this.#accepted();
    const { code, msg, data } = error ?? { code: 0, msg: `status ${status}` };
    const cause = this.#signer.redact(`The exchange refused the account stream: ${msg} (${code}).`);
    if (code === BAD_CLOCK) {
      const again = (): void => this.#socket.restart(cause);
      return void this.#clock.sync().then(again, again);
    }
    // A limit or a ban carries its end in the exchange's time.
    const waitMs = data?.retryAfter === undefined ? REFUSED_DELAY_MS : data.retryAfter - this.#clock.protocolMs();
    return this.#socket.restart(cause, waitMs);
  }

  #accepted(): void {
    if (this.#signer.kind !== 'ed25519' || this.#loggedOn) return this.#handlers.up();
    this.#loggedOn = true;
    return this.#subscribe();
  }
}
