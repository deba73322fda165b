import { isIP } from 'node:net';
import { Agent, fetch, type Headers, type Response } from 'undici';
import { AddressRefused, guardedLookup, type PrivateAddresses, refusalOf } from './addresses.ts';

/** The response; `cut` when it was longer than allowed and the rest was not read. */
interface AnswerReceived {
  readonly kind: 'answered';
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly cut: boolean;
}

export interface Outgoing {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, bytes as they are. */
  readonly body: unknown;
}

interface TimeLimits {
  readonly timeoutMs: number;
  /** Ends the wait early when the process stops. */
  readonly signal?: AbortSignal | undefined;
  readonly mostBytes: number;
}

const agentFor = (allowed: PrivateAddresses): Agent => new Agent({ connect: { lookup: guardedLookup(allowed) } });
const AGENTS: Readonly<Record<PrivateAddresses, Agent>> = { allow: agentFor('allow'), refuse: agentFor('refuse') };

/** The IP address of a URL without a host name, which has no lookup. */
function writtenAddress(url: string): string | undefined {
  const host = new URL(url).hostname.replaceAll(/^\[|\]$/g, '');
  return isIP(host) === 0 ? undefined : host;
}

/**
 * Sends JSON, or bytes with their own headers, and reads the answer within the limits of time and size. An error is a sentence. Nothing is sent to a refused
 * address.
 */
export async function postJson(
  allowed: PrivateAddresses,
  { url, headers, body }: Outgoing,
  patience: TimeLimits,
): Promise<AnswerReceived | { readonly kind: 'failed'; readonly detail: string }> {
  const { timeoutMs, signal, mostBytes } = patience;
  const { host } = new URL(url);
  const written = writtenAddress(url);
  const refused = written === undefined ? undefined : refusalOf(written, allowed);
  if (refused !== undefined) return { kind: 'failed', detail: `nothing was sent to ${host}: ${refused}` };
  const late = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, {
      dispatcher: AGENTS[allowed],
      method: 'POST',
      headers: body instanceof Uint8Array ? { ...headers } : { 'content-type': 'application/json', ...headers },
      body: body instanceof Uint8Array ? body : JSON.stringify(body),
      // A redirect would send the content and its secrets to another server.
      redirect: 'manual',
      signal: signal === undefined ? late : AbortSignal.any([late, signal]),
    });
    const read = await readAtMost(response, mostBytes);
    return { kind: 'answered', status: response.status, headers: response.headers, ...read };
  } catch (error) {
    if (signal?.aborted === true)
      return { kind: 'failed', detail: `the request to ${host} was aborted: the process stops` };
    if (error instanceof Error && error.cause instanceof AddressRefused)
      return { kind: 'failed', detail: `nothing was sent to ${host}: ${error.cause.message}` };
    return { kind: 'failed', detail: `${host} could not be reached: ${causeOf(error, timeoutMs)}` };
  }
}

async function readAtMost({ body }: Response, most: number): Promise<{ text: string; cut: boolean }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop cancels the rest of the body, compressed or not.
  const parts: AsyncIterable<Uint8Array> | [] = body ?? [];
  for await (const chunk of parts) {
    size += chunk.byteLength;
    chunks.push(chunk);
    if (size > most) break;
  }
  return { text: Buffer.concat(chunks).subarray(0, most).toString('utf8'), cut: size > most };
}

function causeOf(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return 'unknown cause';
  if (error.name === 'TimeoutError') return `no answer within ${timeoutMs / 1000} seconds`;
  const { cause } = error;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : error.name;
}
