import type { IncomingMessage } from 'node:http';

const MAX_BODY_BYTES = 1024 * 1024;

export class BodyTooLargeError extends Error {}

/** The raw body as text. Throws BodyTooLargeError when it is over 1 MiB. */
export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const source: AsyncIterable<Buffer> = request;
  for await (const buffer of source) {
    bytes += buffer.length;
    if (bytes > MAX_BODY_BYTES) throw new BodyTooLargeError('The request body is over 1 MiB.');
    chunks.push(buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Path and raw query of a request line, the query byte for byte as sent. */
export function splitUrl(url: string): { readonly path: string; readonly rawQuery: string } {
  const at = url.indexOf('?');
  return at < 0 ? { path: url, rawQuery: '' } : { path: url.slice(0, at), rawQuery: url.slice(at + 1) };
}
