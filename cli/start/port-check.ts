import { once } from 'node:events';
import { createServer } from 'node:net';
import { chooseFreePort } from '#storage/embedded/port.ts';
import { StartProblem } from './start-problem.ts';

/** A port that nobody else can listen on until it is released. */
export interface PortClaim {
  readonly port: number;
  /** Resolves when another process can listen there. */
  release(): Promise<void>;
}

/**
 * Takes the port on which the api will listen; 0 becomes a free one. Between here and the api lies the build of the web
 * app, in which another start could take it. Who calls meanwhile is refused. Throws StartProblem.
 */
export async function claimPort(wanted: number, host: string): Promise<PortClaim> {
  // One that the system hands out might be taken by an outgoing connection before the api listens on it.
  const port = wanted === 0 ? await chooseFreePort() : wanted;
  const server = createServer((socket) => socket.destroy());
  try {
    server.listen({ port, host });
    await once(server, 'listening');
  } catch (error) {
    throw new StartProblem(explain(error, port, host));
  }
  // A claim alone keeps no process alive.
  server.unref();
  const release = async (): Promise<void> => {
    if (!server.listening) return;
    server.close();
    await once(server, 'close');
  };
  return { port, release };
}

function explain(error: unknown, port: number, host: string): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') return `Port ${port} is in use; choose another with --port N.`;
  if (code === 'EACCES') return `Port ${port} is reserved for administrators; choose one above 1023 with --port N.`;
  const cause = error instanceof Error ? error.message : String(error);
  return `Nothing can listen on ${host}, port ${port} (${cause}); check HOST and PORT.`;
}
