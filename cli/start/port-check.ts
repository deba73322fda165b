import { once } from 'node:events';
import { createServer } from 'node:net';
import { chooseFreePort, isPortFree } from '#storage/embedded/port.ts';
import { StartProblem } from './start-problem.ts';

/** A reserved port: no other process can listen on it until it is released. */
export interface PortClaim {
  readonly port: number;
  /** Resolves when another process can listen there. */
  release(): Promise<void>;
}

/** Maximum number of attempts when another program takes a port between the choice and its use. */
const ATTEMPTS = 5;

/**
 * Reserves the port of the api; 0 selects a free one. The build of the web app runs before the api, and another start could
 * take the port meanwhile. Connections are refused until the api listens. Throws StartProblem.
 */
export async function claimPort(wanted: number, host: string): Promise<PortClaim> {
  for (let attempt = 1; ; attempt += 1) {
    // An outgoing connection could take an ephemeral port before the api listens on it.
    const port = wanted === 0 ? await chooseFreePort() : wanted;
    try {
      return await holdPort(port, host);
    } catch (error) {
      if (wanted !== 0 || attempt === ATTEMPTS) throw new StartProblem(explain(error, port, host));
    }
  }
}

async function holdPort(port: number, host: string): Promise<PortClaim> {
  const server = createServer((socket) => socket.destroy());
  server.listen({ port, host });
  await once(server, 'listening');
  // The reservation does not keep the process alive.
  server.unref();
  const release = async (): Promise<void> => {
    if (!server.listening) return;
    server.close();
    await once(server, 'close');
  };
  return { port, release };
}

/**
 * Starts a program on free ports, and tries other ports when another program has taken one meanwhile. Returns its ports.
 * Rethrows any other error of `start`.
 */
export async function startOnFreePorts<Ports extends readonly number[]>(
  choose: () => Promise<Ports>,
  start: (ports: Ports) => Promise<void>,
): Promise<Ports> {
  for (let attempt = 1; ; attempt += 1) {
    const ports = await choose();
    try {
      await start(ports);
      return ports;
    } catch (error) {
      const free = await Promise.all(ports.map((port) => isPortFree(port)));
      if (!free.includes(false) || attempt === ATTEMPTS) throw error;
    }
  }
}

function explain(error: unknown, port: number, host: string): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') return `Port ${port} is in use; choose another port with --port N.`;
  if (code === 'EACCES') return `Port ${port} is reserved for administrators; choose one above 1023 with --port N.`;
  const cause = error instanceof Error ? error.message : String(error);
  return `Cannot listen on ${host}, port ${port} (${cause}); check HOST and PORT.`;
}
