import { once } from 'node:events';
import { createServer } from 'node:net';
import { chooseFreePort, isPortFree } from '#storage/embedded/port.ts';
import { StartProblem } from './start-problem.ts';

/** A port that nobody else can listen on until it is released. */
export interface PortClaim {
  readonly port: number;
  /** Resolves when another process can listen there. */
  release(): Promise<void>;
}

/** How often ports are chosen anew that another program takes between the choice and the use. */
const ATTEMPTS = 5;

/**
 * Takes the port on which the api will listen; 0 becomes a free one. Between here and the api lies the build of the web
 * app, in which another start could take it. Who calls meanwhile is refused. Throws StartProblem.
 */
export async function claimPort(wanted: number, host: string): Promise<PortClaim> {
  for (let attempt = 1; ; attempt += 1) {
    // One that the system hands out might be taken by an outgoing connection before the api listens on it.
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
  // A claim alone keeps no process alive.
  server.unref();
  const release = async (): Promise<void> => {
    if (!server.listening) return;
    server.close();
    await once(server, 'close');
  };
  return { port, release };
}

/**
 * Starts a program on ports that were free a moment ago, and on others when another program has taken one of them since;
 * returns the ports it runs on. Throws what `start` throws for any other reason.
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
  if (code === 'EADDRINUSE') return `Port ${port} is in use; choose another with --port N.`;
  if (code === 'EACCES') return `Port ${port} is reserved for administrators; choose one above 1023 with --port N.`;
  const cause = error instanceof Error ? error.message : String(error);
  return `Nothing can listen on ${host}, port ${port} (${cause}); check HOST and PORT.`;
}
