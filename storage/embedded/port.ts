import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';

/** A port that a file keeps across starts. A new one is chosen only when the port is in use or equals `taken`. */
export async function readOrChoosePort(file: string, taken?: number): Promise<number> {
  const kept = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
  if (Number.isInteger(kept) && kept > 0 && kept < 65_536 && kept !== taken && (await isPortFree(kept))) return kept;
  const port = await chooseFreePort(taken);
  writeFileSync(file, String(port), { mode: 0o600 });
  return port;
}

/** Below the range of ephemeral ports, so that it is free at the next start too. */
export async function chooseFreePort(taken?: number): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const port = randomInt(15_000, 32_000);
    if (port !== taken && (await isPortFree(port))) return port;
  }
  throw new Error(
    'No free port between 15000 and 32000 was found on 127.0.0.1 in a hundred tries: end a program that listens there.',
  );
}

/** Whether a server could listen on that port of the loopback address (or of `host`). */
export async function isPortFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  const server = createServer();
  try {
    server.listen({ port, host, exclusive: true });
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
