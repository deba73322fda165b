import { once } from 'node:events';
import { createServer } from 'node:net';
import { chooseFreePort } from '#storage/embedded/port.ts';
import { StartProblem } from './start-problem.ts';

/** Makes sure that the api can listen there; 0 becomes a free port. Throws StartProblem. */
export async function claimPort(port: number, host: string): Promise<number> {
  // One that the system hands out might be taken by an outgoing connection before the api listens on it.
  if (port === 0) return chooseFreePort();
  const server = createServer();
  try {
    server.listen({ port, host });
    await once(server, 'listening');
    return port;
  } catch (error) {
    throw new StartProblem(explain(error, port, host));
  } finally {
    server.close();
  }
}

function explain(error: unknown, port: number, host: string): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') return `Port ${port} is in use; choose another with --port N.`;
  if (code === 'EACCES') return `Port ${port} is reserved for administrators; choose one above 1023 with --port N.`;
  const cause = error instanceof Error ? error.message : String(error);
  return `Nothing can listen on ${host}, port ${port} (${cause}); check HOST and PORT.`;
}
