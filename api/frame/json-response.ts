import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip, gzipSync } from 'node:zlib';

/** Answers below this length travel as they are: the headers would cost more than they save. */
const SMALLEST = 1024;
/** The default level of 6 takes twice as long for 5 % less. */
const LEVEL = 4;

/**
 * Answers up to this length are compressed at once, in a millisecond or two: the threads of `gzip` also hash passwords, and
 * an answer would wait behind the sign-ins of an attacker.
 */
const LONGEST_AT_ONCE = 256 * 1024;

const compressLong = promisify(gzip);
const compress = (text: string): Buffer | Promise<Buffer> =>
  text.length <= LONGEST_AT_ONCE ? gzipSync(text, { level: LEVEL }) : compressLong(text, { level: LEVEL });

/**
 * Answers a request with JSON. A long answer to a GET has an entity tag, and is empty with status 304 for a client that
 * still has it; a long answer is compressed where the client understands gzip.
 */
export async function jsonResponse(
  text: string,
  { request, status, headers }: { readonly request: Request; readonly status: number; readonly headers: Headers },
): Promise<Response> {
  headers.set('content-type', 'application/json');
  if (text.length < SMALLEST) return new Response(text, { status, headers });
  headers.set('vary', 'accept-encoding');
  if (request.method === 'GET') {
    const tag = `W/"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
    headers.set('etag', tag);
    if (request.headers.get('if-none-match') === tag) return new Response(null, { status: 304, headers });
  }
  if (!/\bgzip\b/.test(request.headers.get('accept-encoding') ?? '')) return new Response(text, { status, headers });
  headers.set('content-encoding', 'gzip');
  return new Response(new Uint8Array(await compress(text)), { status, headers });
}
