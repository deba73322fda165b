import type { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import { z } from 'zod';
import { parseJson } from '#paper/json-literals.ts';
import {
  type MarketStreams,
  unservedReason,
  type StreamClient,
  subscribe,
  unsubscribe,
} from '#paper/streams/market-streams.ts';
import type { TimeUnit } from '#paper/rest/time-unit.ts';
import type { Venue } from '#paper/exchange/venue.ts';

const MAX_STREAMS = 1024;
const TOO_MANY = `Invalid request: a connection takes at most ${MAX_STREAMS} streams`;
const MAX_MESSAGES = 5;
const SECOND_MS = 1000;
const MAX_BUFFERED_BYTES = 64 * 1024 * 1024;

const requestId = z.union([z.int(), z.string().max(36), z.null()]).optional();
const request = z.object({ method: z.string(), params: z.array(z.unknown()).default([]), id: requestId });

/** Serves one connection of /ws or /stream until it closes. */
export function serveStreams(
  socket: WebSocket,
  { streams, venue, wire }: { readonly streams: MarketStreams; readonly venue: Venue; readonly wire: Duplex },
  url: { readonly combined: boolean; readonly names: readonly string[]; readonly unit: TimeUnit },
): StreamClient {
  const names = new Set<string>();
  const client: StreamClient = {
    combined: url.combined,
    unit: url.unit,
    send: (frame) => {
      // A slow reader is disconnected, so that its backlog does not fill the memory.
      if (socket.bufferedAmount > MAX_BUFFERED_BYTES) return socket.terminate();
      // All frames of one instant go out with one system call.
      if (wire.writableCorked === 0) {
        wire.cork();
        process.nextTick(() => wire.uncork());
      }
      socket.send(frame);
    },
  };
  const add = (name: string) => {
    if (names.has(name)) return;
    names.add(name);
    subscribe(streams, venue, { client, name });
  };
  const remove = (name: string) => {
    if (names.delete(name)) unsubscribe(streams, { client, name });
  };
  const refusalOf = (wanted: readonly string[]): string | undefined =>
    names.union(new Set(wanted)).size > MAX_STREAMS
      ? TOO_MANY
      : wanted.map((name) => unservedReason(streams, venue, name)).find((reason) => reason !== undefined);
  const refused = refusalOf(url.names);
  if (refused !== undefined) socket.close(1008, refused);
  else for (const name of url.names) add(name);
  const isTooMuch = countMessages();
  const onActivity = () => {
    if (isTooMuch(Date.now())) socket.close(1008, 'Too many requests');
  };
  socket.on('ping', onActivity);
  socket.on('pong', onActivity);
  socket.on('message', onActivity);
  socket.on('message', (data) =>
    socket.send(JSON.stringify(answer(textOf(data), { names, add, remove, refusalOf, client }))),
  );
  socket.on('close', () => {
    for (const name of [...names]) remove(name);
  });
  return client;
}

/** Every message of a client counts. More than five within a second end the connection. */
function countMessages(): (nowMs: number) => boolean {
  let recent: number[] = [];
  return (nowMs) => {
    recent = [...recent.filter((ms) => nowMs - ms < SECOND_MS), nowMs];
    return recent.length > MAX_MESSAGES;
  };
}

interface Connection {
  readonly names: ReadonlySet<string>;
  readonly add: (name: string) => void;
  readonly remove: (name: string) => void;
  readonly refusalOf: (names: readonly string[]) => string | undefined;
  readonly client: StreamClient;
}

function answer(text: string, connection: Connection): Record<string, unknown> {
  const parsed = request.safeParse(parseJson(text));
  if (!parsed.success)
    return { error: { code: 3, msg: 'Invalid JSON: expected an object with method, params and id' } };
  const { method, params, id = null } = parsed.data;
  const names = params.filter((name) => typeof name === 'string');
  switch (method) {
    case 'SUBSCRIBE': {
      const refused = connection.refusalOf(names);
      if (refused !== undefined) return { error: { code: 2, msg: refused }, id };
      for (const name of names) connection.add(name);
      return { result: null, id };
    }
    case 'UNSUBSCRIBE':
      for (const name of names) connection.remove(name);
      return { result: null, id };
    case 'LIST_SUBSCRIPTIONS':
      return { result: [...connection.names], id };
    case 'SET_PROPERTY':
      if (params[0] === 'combined') connection.client.combined = params[1] === true;
      return { result: null, id };
    case 'GET_PROPERTY':
      return { result: connection.client.combined, id };
    default:
      return { error: { code: 2, msg: `Invalid request: unknown method ${method}` }, id };
  }
}

export const textOf = (data: RawData): string =>
  Array.isArray(data)
    ? Buffer.concat(data).toString('utf8')
    : Buffer.from(data instanceof ArrayBuffer ? new Uint8Array(data) : data).toString('utf8');
