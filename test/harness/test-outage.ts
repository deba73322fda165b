import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const TIMEOUT_MS = 90_000;

/** Waits until a condition holds; `what` names the condition in the error after a timeout. */
export async function until(what: string, holds: () => Promise<boolean> | boolean): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS;
  while (!(await holds())) {
    assert.ok(performance.now() < deadline, `Timeout after ${TIMEOUT_MS} ms: ${what}.`);
    await delay(10);
  }
}

export interface Relay extends AsyncDisposable {
  readonly url: string;
  cut(): Promise<void>;
  restore(): Promise<void>;
  dropConnections(): void;
  /** Cuts permanently, but keeps the port, so that nothing else can answer there. */
  sever(): void;
}

/**
 * Called with every piece of traffic before it is forwarded. A piece that is severed at that moment never arrives. When it
 * returns a promise, the piece and all later ones wait for it.
 */
export type Watch = (piece: Buffer, direction: 'out' | 'back', connection: number) => Promise<void> | void;

function forward(from: Socket, to: Socket, look: (piece: Buffer) => Promise<void> | void): void {
  from.on('data', (piece: Buffer) => {
    const held = look(piece);
    if (held === undefined) return void to.write(piece);
    from.pause();
    void held.then(() => {
      to.write(piece);
      from.resume();
    });
  });
  from.on('end', () => to.end());
}

/** A TCP relay in front of a server: cutting it looks like a server that was killed. */
export async function openRelay(target: URL, watch?: Watch): Promise<Relay> {
  const sockets = new Set<Socket>();
  const track = (socket: Socket): Socket => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    return socket;
  };
  let severed = false;
  let connections = 0;
  const server: Server = createServer({ noDelay: true }, (inbound) => {
    if (severed) return void inbound.destroy();
    const outbound = track(connect({ port: Number(target.port), host: target.hostname, noDelay: true }));
    track(inbound);
    const connection = ++connections;
    forward(inbound, outbound, (piece) => watch?.(piece, 'out', connection));
    forward(outbound, inbound, (piece) => watch?.(piece, 'back', connection));
    inbound.on('close', () => outbound.destroy());
    outbound.on('close', () => inbound.destroy());
  });
  const listen = async (port: number): Promise<void> => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  await listen(0);
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null, 'The relay listens on a port.');
  const { port } = address;
  const url = new URL(target);
  url.host = `127.0.0.1:${port}`;
  const dropConnections = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const cut = async (): Promise<void> => {
    const closed = server.listening ? once(server, 'close') : undefined;
    server.close();
    dropConnections();
    await closed;
  };
  const sever = (): void => {
    severed = true;
    dropConnections();
  };
  return { url: url.href, sever, cut, restore: () => listen(port), dropConnections, [Symbol.asyncDispose]: cut };
}
