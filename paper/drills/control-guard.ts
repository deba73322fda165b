import { randomBytes, timingSafeEqual } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { BadInputError } from '#paper/bad-input.ts';

const TOKEN_BYTES = 32;
const LOOPBACK = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/i;

/** Why the control port refuses a request. */
interface ControlRefusal {
  readonly status: 401 | 403 | 415;
  readonly error: string;
}

/**
 * Creates the token of one run. With a path the token is stored there, readable only by its owner. Throws
 * BadInputError.
 */
export function issueControlToken(path?: string): string {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  if (path === undefined) return token;
  try {
    // An existing file keeps its mode: remove it, so that the new file gets the right one.
    rmSync(path, { force: true });
    writeFileSync(path, `${token}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    throw new BadInputError(`The token of the control port cannot be written to ${path}: ${cause}.`);
  }
  return token;
}

/** The headers that the control port requires. */
export const controlHeaders = (token: string): Readonly<Record<string, string>> => ({
  authorization: `Bearer ${token}`,
  'content-type': 'application/json',
});

/**
 * Every user of the machine can reach this port. So can a web page, also under its own host name that resolves to this
 * machine. Browsers send the page in Origin and its name in Host. Only a reader of the token gets access.
 */
export function controlRefusal({ headers }: IncomingMessage, token: string | null): ControlRefusal | undefined {
  if (headers.origin !== undefined)
    return { status: 403, error: 'The control port refuses requests of web pages: send no Origin header.' };
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
