import { WebSocket } from 'ws';
import { z } from 'zod';
import { parseJson } from '#paper/json-literals.ts';
import { textOf } from '#paper/sockets/stream-socket.ts';

/** The maximum number of streams of one connection, and of one subscribe message. */
const MAX_STREAMS = 1000;
const MAX_NAMES = 200;
/** Interval between messages: the other exchange accepts five a second. */
const SUBSCRIBE_MS = 250;
const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 30_000;
/** A connection that receives nothing for this long, not even a ping, is dead. */
const SILENT_MS = 45_000;

const frame = z.object({ stream: z.string(), data: z.unknown() });

interface FeedListener {
  onFrame(stream: string, data: unknown): void;
  /** Reports that the connection works, or that it has ended and why. */
  onState(state: { readonly isUp: true } | { readonly isUp: false; readonly because: string }): void;
}

/** Combined streams of another exchange, over as many connections as needed. Each reconnects forever. */
interface Feed extends Disposable {
  /** Replaces the subscribed streams. */
  setStreams(names: ReadonlySet<string>): void;
}

export function openFeed(url: string, listener: FeedListener): Feed {
  const connections: FeedConnection[] = [];
  return {
    setStreams: (names) => {
      for (const connection of connections)
        for (const name of connection.names) if (!names.has(name)) connection.names.delete(name);
      for (const name of names) {
        if (connections.some((connection) => connection.names.has(name))) continue;
        let connection = connections.find((candidate) => candidate.names.size < MAX_STREAMS);
        if (connection === undefined) {
          connection = openConnection(url, listener);
          connections.push(connection);
        }
        connection.names.add(name);
      }
    },
    [Symbol.dispose]: () => {
      for (const connection of connections) connection[Symbol.dispose]();
    },
  };
}

interface FeedConnection extends Disposable {
  /** The streams that it should carry. It subscribes to the difference step by step. */
  readonly names: Set<string>;
}

function openConnection(url: string, listener: FeedListener): FeedConnection {
  const names = new Set<string>();
  let subscribed = new Set<string>();
  let retryMs = FIRST_RETRY_MS;
  let lastId = 0;
  let receivedMs = Date.now();
  let isDisposed = false;
  let socket = connect();
  function connect(): WebSocket {
    const next = new WebSocket(`${url}/stream`);
    let because = 'the connection was closed';
    const noteReceived = () => {
      receivedMs = Date.now();
    };
    noteReceived();
    subscribed = new Set();
    next.on('open', () => listener.onState({ isUp: true }));
    next.on('ping', noteReceived);
    next.on('message', (data) => {
      noteReceived();
      retryMs = FIRST_RETRY_MS;
      const parsed = frame.safeParse(parseJson(textOf(data)));
      if (parsed.success) listener.onFrame(parsed.data.stream, parsed.data.data);
    });
    next.on('error', (error) => {
      because = error.message;
    });
    next.on('close', () => {
      if (isDisposed) return;
      listener.onState({ isUp: false, because });
      setTimeout(() => {
        if (!isDisposed) socket = connect();
      }, retryMs).unref();
      retryMs = Math.min(LONGEST_RETRY_MS, retryMs * 2);
    });
    return next;
  }
  const updateSubscriptions = (): void => {
    if (socket.readyState !== WebSocket.OPEN) return;
    if (Date.now() - receivedMs > SILENT_MS) return socket.terminate();
    const [more, less] = [names.difference(subscribed), subscribed.difference(names)];
    if (more.size + less.size === 0) return;
    const params = [...(more.size > 0 ? more : less)].slice(0, MAX_NAMES);
    lastId += 1;
    socket.send(JSON.stringify({ method: more.size > 0 ? 'SUBSCRIBE' : 'UNSUBSCRIBE', params, id: lastId }));
    for (const name of params) subscribed[more.size > 0 ? 'add' : 'delete'](name);
  };
  const timer = setInterval(updateSubscriptions, SUBSCRIBE_MS);
  return {
    names,
    [Symbol.dispose]: () => {
      isDisposed = true;
      clearInterval(timer);
      socket.terminate();
    },
  };
}
