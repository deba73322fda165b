import { Agent, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';

/** The demo under attack, and the secrets that no answer may contain. */
export interface Target {
  readonly url: string;
  readonly accountId: string;
  readonly profileIds: readonly string[];
  readonly symbols: readonly string[];
  readonly secrets: readonly string[];
  /** Every 8 characters in a row of these are secret. */
  readonly keys: readonly string[];
}

interface Reply {
  readonly status: number;
  readonly text: string;
}

interface Sent {
  readonly body?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

const FRAGMENT = 8;
const ANSWER_MS = 10_000;
const escaped = (text: string): string => text.replaceAll(/[^\w]/g, String.raw`\$&`);

/** Finds a secret, or a fragment of a key, in an answer. */
export function secretPattern({ secrets, keys }: Pick<Target, 'secrets' | 'keys'>): RegExp {
  const fragments = keys.flatMap((key) =>
    Array.from({ length: key.length - FRAGMENT + 1 }, (_, i) => key.slice(i, i + FRAGMENT)),
  );
  return new RegExp([...secrets, ...fragments].map(escaped).join('|'), 'i');
}

async function textOf(response: IncomingMessage): Promise<string> {
  response.setEncoding('latin1');
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return text;
}

/** One anonymous visitor at an address of its own, who counts and reads every answer. */
export class Visitor {
  readonly target: Target;
  readonly address: string;
  /** Answers by status; sockets count as 101, broken connections as 0. */
  readonly answers = new Map<number, number>();
  readonly leaks: string[] = [];
  /** At first one of everything, so that each behaviour gets past the limits; then as many as it wants. */
  flooding = false;
  readonly #pattern: RegExp;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 16 });
  readonly #opened = new Set<{ destroy(): void }>();

  constructor(target: Target, options: { readonly address: string; readonly pattern: RegExp }) {
    this.target = target;
    this.address = options.address;
    this.#pattern = options.pattern;
  }

  get profile(): string {
    return this.target.profileIds[0] ?? '';
  }

  /** Sends `count` at once while it floods. */
  many(count: number, send: (i: number) => Promise<unknown>): Promise<unknown> {
    return Promise.all(Array.from({ length: this.flooding ? count : 1 }, (_, i) => send(i)));
  }

  get = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Reply> =>
    this.send('GET', path, { headers });

  /** A change with a JSON body, as a script sends it. */
  change(method: string, path: string, body?: unknown): Promise<Reply> {
    return this.send(method, path, body === undefined ? {} : { body: JSON.stringify(body) });
  }

  async send(method: string, path: string, { body, headers = {} }: Sent = {}): Promise<Reply> {
    const own = { 'x-forwarded-for': this.address, 'x-tradewind-client': '1' };
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    try {
      const { hostname, port } = new URL(this.target.url);
      const asked = request({
        ...{ hostname, port, method, path: `/api${path}`, agent: this.#agent, timeout: ANSWER_MS },
        headers: { ...own, ...type, ...headers },
      });
      asked.on('timeout', () => asked.destroy());
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        asked.on('response', resolve).on('error', reject).end(body);
      });
      const text = await textOf(response);
      return this.note(response.statusCode ?? 0, `${method} ${path}`, text);
    } catch {
      return this.note(0, path, '');
    }
  }

  note(status: number, what: string, text: string): Reply {
    this.answers.set(status, (this.answers.get(status) ?? 0) + 1);
    const found = this.#pattern.exec(text)?.[0];
    if (found !== undefined && this.leaks.length < 20) this.leaks.push(`${what.slice(0, 200)}: "${found}"`);
    return { status, text };
  }

  /** A bare connection; whole answers on it are read and counted by `status`. */
  async connection(): Promise<Socket> {
    const { hostname, port } = new URL(this.target.url);
    const socket = connect(Number(port), hostname);
    this.#opened.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => this.#opened.delete(socket));
    socket.on('data', (chunk) => {
      for (const [, status] of chunk.toString('latin1').matchAll(/HTTP\/1\.1 (\d{3})/g))
        this.note(Number(status), 'a bare connection', chunk.toString('latin1'));
    });
    await new Promise<void>((resolve) => socket.once('connect', () => resolve()).once('close', () => resolve()));
    return socket;
  }

  /** An open WebSocket, or undefined where it is refused; its messages are read. */
  async socket(address = this.address): Promise<WebSocket | undefined> {
    const socket = new WebSocket(`${this.target.url.replace('http', 'ws')}/api/ws`, {
      origin: this.target.url,
      headers: { 'x-forwarded-for': address },
      handshakeTimeout: ANSWER_MS,
    });
    const opened = { destroy: () => socket.terminate() };
    this.#opened.add(opened);
    socket.on('close', () => this.#opened.delete(opened));
    socket.on('message', (data: Buffer) => this.note(101, 'a WebSocket', data.toString('latin1')));
    return new Promise((resolve) => {
      socket.on('error', () => resolve(undefined));
      socket.once('open', () => {
        this.note(101, 'a WebSocket', '');
        resolve(socket);
      });
      socket.once('unexpected-response', (asked, response) => {
        this.note(response.statusCode ?? 0, 'a WebSocket', '');
        asked.destroy();
        resolve(undefined);
      });
    });
  }

  pause = (ms: number): Promise<unknown> => (this.flooding ? delay(ms) : Promise.resolve());

  close(): void {
    this.#agent.destroy();
    for (const each of this.#opened) each.destroy();
  }
}
