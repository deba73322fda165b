import { randomBytes, timingSafeEqual } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { BadInputError } from '#paper/bad-input.ts';

const TOKEN_BYTES = 32;
const LOOPBACK = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/i;

/** Why the control port does not serve a request. */
interface ControlRefusal {
  readonly status: 401 | 403 | 415;
  readonly error: string;
}

/** Makes the token of one run; with a path it is stored there, readable by its owner only. Throws BadInputError. */
export function issueControlToken(path?: string): string {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  if (path === undefined) return token;
  try {
    // A file that exists keeps its mode, so that it is written as a new one.
    rmSync(path, { force: true });
    writeFileSync(path, `${token}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    throw new BadInputError(`The token of the control port cannot be written to ${path}: ${cause}.`);
  }
  return token;
}

/** The headers that the control port wants. */
export const controlHeaders = (token: string): Readonly<Record<string, string>> => ({
  authorization: `Bearer ${token}`,
  'content-type': 'application/json',
});

/**
 * A web page can reach this port, also under a name of its own that points to this machine, and so can every user of
 * the machine. Browsers name the page in Origin and its name in Host; only the token's reader passes.
 */
export function controlRefusal({ headers }: IncomingMessage, token: string | null): ControlRefusal | undefined {
  if (headers.origin !== undefined)
    return { status: 403, error: 'Requests of web pages are refused: the control port takes none with an Origin.' };
  if (!LOOPBACK.test(headers.host ?? ''))
    return { status: 403, error: 'The Host must be 127.0.0.1, localhost or [::1].' };
  if (token !== null && !isBearer(headers.authorization ?? '', token))
    return { status: 401, error: 'Send the token of the control port as "Authorization: Bearer TOKEN".' };
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  if (hasBody && !/^application\/json\s*(?:;|$)/i.test(headers['content-type'] ?? ''))
    return { status: 415, error: 'The body must be JSON: send it with Content-Type application/json.' };
  return undefined;
}

function isBearer(authorization: string, token: string): boolean {
  const [sent, wanted] = [Buffer.from(authorization), Buffer.from(`Bearer ${token}`)];
  return sent.length === wanted.length && timingSafeEqual(sent, wanted);
}
