import { WebSocket } from 'ws';
import { z } from 'zod';
import { parseJson } from '#paper/json-literals.ts';
import { textOf } from '#paper/sockets/stream-socket.ts';

/** The maximum number of streams of one connection, and of one subscribe message. */
const MAX_STREAMS = 1000;
const MAX_NAMES = 200;
/** Interval between messages: the other exchange accepts five a second. */
const ASK_MS = 250;
const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 30_000;
/** A connection that receives nothing for this long, not even a ping, is dead. */
const SILENT_MS = 45_000;

const frame = z.object({ stream: z.string(), data: z.unknown() });

interface FeedListener {
  hear(stream: string, data: unknown): void;
  /** Reports that the connection works, or that it has ended and why. */
  turn(state: { readonly isUp: true } | { readonly isUp: false; readonly because: string }): void;
}

/** Combined streams of another exchange, over as many connections as needed. Each reconnects forever. */
interface Feed extends Disposable {
  /** Replaces the subscribed streams. */
  want(names: ReadonlySet<string>): void;
}

export function openFeed(url: string, listener: FeedListener): Feed {
  const lines: Line[] = [];
  return {
    want: (names) => {
      for (const line of lines) for (const name of line.names) if (!names.has(name)) line.names.delete(name);
      for (const name of names) {
        if (lines.some((line) => line.names.has(name))) continue;
        let line = lines.find((one) => one.names.size < MAX_STREAMS);
        if (line === undefined) {
          line = openLine(url, listener);
          lines.push(line);
        }
        line.names.add(name);
      }
    },
    [Symbol.dispose]: () => {
      for (const line of lines) line[Symbol.dispose]();
    },
  };
}

interface Line extends Disposable {
  /** The streams that it should carry. It subscribes to the difference step by step. */
  readonly names: Set<string>;
}

function openLine(url: string, listener: FeedListener): Line {
  const names = new Set<string>();
  let asked = new Set<string>();
  let retryMs = FIRST_RETRY_MS;
  let lastId = 0;
  let heardMs = Date.now();
  let isOver = false;
  let socket = connect();
  function connect(): WebSocket {
    const made = new WebSocket(`${url}/stream`);
    let because = 'the connection was closed';
    const live = () => {
      heardMs = Date.now();
    };
    live();
    asked = new Set();
    made.on('open', () => listener.turn({ isUp: true }));
    made.on('ping', live);
    made.on('message', (data) => {
      live();
      retryMs = FIRST_RETRY_MS;
      const parsed = frame.safeParse(parseJson(textOf(data)));
      if (parsed.success) listener.hear(parsed.data.stream, parsed.data.data);
    });
    made.on('error', (error) => {
      because = error.message;
    });
    made.on('close', () => {
      if (isOver) return;
      listener.turn({ isUp: false, because });
      setTimeout(() => {
        if (!isOver) socket = connect();
      }, retryMs).unref();
      retryMs = Math.min(LONGEST_RETRY_MS, retryMs * 2);
    });
    return made;
  }
  const ask = (): void => {
    if (socket.readyState !== WebSocket.OPEN) return;
    if (Date.now() - heardMs > SILENT_MS) return socket.terminate();
    const [more, less] = [names.difference(asked), asked.difference(names)];
    if (more.size + less.size === 0) return;
    const params = [...(more.size > 0 ? more : less)].slice(0, MAX_NAMES);
    lastId += 1;
    socket.send(JSON.stringify({ method: more.size > 0 ? 'SUBSCRIBE' : 'UNSUBSCRIBE', params, id: lastId }));
    for (const name of params) asked[more.size > 0 ? 'add' : 'delete'](name);
  };
  const timer = setInterval(ask, ASK_MS);
  return {
    names,
    [Symbol.dispose]: () => {
      isOver = true;
      clearInterval(timer);
      socket.terminate();
    },
  };
}
