import { createHmac, type KeyObject, sign } from 'node:crypto';
import { once } from 'node:events';
import { WebSocket } from 'ws';

/** A plain client for tests. It signs on its own and shares no code with the exchange. */
interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;
}

export type Key = { readonly apiKey: string } & ({ readonly secret: string } | { readonly privateKey: KeyObject });

export function signText(key: Key, text: string): string {
  if ('secret' in key) return createHmac('sha256', key.secret).update(text).digest('hex');
  return sign(null, Buffer.from(text), key.privateKey).toString('base64');
}

/** Sends requests to one exchange, with parameters in the query, signed if a key is given. */
export const clientOf =
  (url: string) =>
  async (request: string, params: Readonly<Record<string, string>> = {}, key?: Key): Promise<Answer> => {
    const [method = 'GET', path = '/'] = request.split(' ');
    const all = new URLSearchParams({ ...(key === undefined ? {} : { timestamp: String(Date.now()) }), ...params });
    if (key !== undefined) all.append('signature', signText(key, all.toString()));
    const headers: Record<string, string> = key === undefined ? {} : { 'X-MBX-APIKEY': key.apiKey };
    const response = await fetch(`${url}${path}?${all}`, { method, headers });
    const text = await response.text();
    const body: unknown = /^[[{]/.test(text) ? JSON.parse(text) : text;
    return { status: response.status, body, headers: response.headers };
  };

/** A member of a JSON value by path, e.g. `fills.0.price`. */
export function pick(value: unknown, path: string): unknown {
  let at: unknown = value;
  for (const name of path.split('.')) at = typeof at === 'object' && at !== null ? Reflect.get(at, name) : undefined;
  return at;
}

/** A WebSocket that keeps its frames. `next` waits for the first unread frame that matches. */
export interface Listener extends AsyncDisposable {
  readonly frames: unknown[];
  send(message: unknown): void;
  /** Waits for the end of the connection and returns its close code. */
  closed(): Promise<number>;
  next(fits: (frame: unknown) => boolean): Promise<unknown>;
}

export async function listenTo(url: string): Promise<Listener> {
  const socket = new WebSocket(url);
  const frames: unknown[] = [];
  const waiting = new Set<() => void>();
  let read = 0;
  socket.on('message', (data) => {
    frames.push(JSON.parse(String(data)));
    for (const wake of waiting) wake();
  });
  await once(socket, 'open');
  return {
    frames,
    send: (message) => socket.send(JSON.stringify(message)),
    closed: async () => {
      const ended: unknown[] = await once(socket, 'close');
      return Number(ended[0]);
    },
    next: (fits) =>
      new Promise((resolve) => {
        const look = () => {
          while (read < frames.length) {
            const frame = frames[read];
            read += 1;
            if (!fits(frame)) continue;
            waiting.delete(look);
            resolve(frame);
            return;
          }
        };
        waiting.add(look);
        look();
      }),
    [Symbol.asyncDispose]: async () => {
      if (socket.readyState === WebSocket.CLOSED) return;
      const closed = once(socket, 'close');
      socket.close();
      await closed;
    },
  };
}

/** Subscribes to the events of a key's account on a connection of the WebSocket API. Returns the answer. */
export function subscribeTo(socket: Listener, key: Key): Promise<unknown> {
  const timestamp = Date.now();
  const signature = signText(key, `apiKey=${key.apiKey}&timestamp=${timestamp}`);
  const params = { apiKey: key.apiKey, timestamp, signature };
  socket.send({ id: 'subscribe', method: 'userDataStream.subscribe.signature', params });
  return socket.next((frame) => pick(frame, 'id') === 'subscribe');
}
