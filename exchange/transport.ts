import { EventEmitter } from 'node:events';
import { Agent } from 'undici';
import { z } from 'zod';
import { ExchangeError, reasonOf, SHOWN_CHARACTERS, unreadable } from './errors.ts';
import { readExactJson } from './json.ts';
import type { RateLimiter, RequestPriority, Reservation } from './limits.ts';
import { encodeQuery, type Params, redact } from './signing.ts';

const DEFAULT_TIMEOUT_MS = 10_000;
/** One agent for all hosts. HTTP/1.1 without pipelining: each request is written at most once, to one socket. */
const agent = new Agent({
  allowH2: false,
  pipelining: 1,
  connections: 32,
  keepAliveTimeout: 15_000,
  connect: { timeout: 5_000 },
  maxResponseSize: 64 * 1024 * 1024,
});

interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  /** Encoded; signed for a signed call. */
  readonly query: string;
  /** Only a signer adds headers; an unsigned call has none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Redacted in replies and errors. */
  readonly secrets?: readonly string[];
  /** Reservation of the rate limiter, settled with the reply. */
  readonly reservation: Reservation;
  readonly timeoutMs?: number;
}

/** One REST host. */
export interface Transport {
  readonly restUrl: string;
  readonly limiter: RateLimiter;
  /** The parsed body of a 2xx reply. Throws ExchangeError for everything else. */
  send(request: HttpRequest): Promise<unknown>;
}

const failure = z.object({ code: z.number().int(), msg: z.string() });

interface Reply {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export function createTransport(restUrl: string, limiter: RateLimiter): Transport {
  const host = readHost(restUrl);
  return {
    restUrl,
    limiter,
    async send(request) {
      const reply = await exchangeOnce(host, request).catch((error: unknown) => {
        request.reservation.settle();
        throw networkError(error, restUrl, request);
      });
      const text = redact(reply.text, request.secrets ?? []);
      const body = readExactJson(text);
      const error = reply.status >= 200 && reply.status < 300 ? undefined : failure.safeParse(body).data;
      request.reservation.settle({
        status: reply.status,
        code: error?.code ?? null,
        usedWeight: readNumber(reply.headers['x-mbx-used-weight-1m'] ?? reply.headers['x-sapi-used-ip-weight-1m']),
        orderCounts: readOrderCounts(reply.headers),
        retryAfterMs: readRetryAfter(reply.headers['retry-after']),
      });
      if (reply.status < 200 || reply.status >= 300) throw replyError(reply.status, error, text);
      if (body === undefined) throw unreadable(`The reply to ${request.path} is no JSON.`, reply.status, text);
      return body;
    },
  };
}

/** Aborts a request that takes too long; an emitter costs less time than an AbortSignal. */
class Deadline extends EventEmitter {
  get reason(): DOMException {
    return new DOMException('The answer took too long.', 'TimeoutError');
  }
}

/** Parsed once, so that no order waits for URL parsing. */
interface Host {
  readonly origin: string;
  readonly prefix: string;
}

function readHost(restUrl: string): Host {
  const { origin, pathname } = new URL(restUrl);
  return { origin, prefix: pathname.replace(/\/$/, '') };
}

async function exchangeOnce({ origin, prefix }: Host, request: HttpRequest): Promise<Reply> {
  const query = request.query === '' ? '' : `?${request.query}`;
  const signal = new Deadline();
  const timer = setTimeout(() => signal.emit('abort'), request.timeoutMs ?? DEFAULT_TIMEOUT_MS);
  try {
    const { statusCode, headers, body } = await agent.request({
      origin,
      path: `${prefix}${request.path}${query}`,
      method: request.method,
      headers: { 'user-agent': 'tradewind', accept: 'application/json', ...request.headers },
      signal,
    });
    return { status: statusCode, headers, text: await body.text() };
  } finally {
    clearTimeout(timer);
  }
}

function readNumber(header: string | string[] | undefined): number | undefined {
  const value = typeof header === 'string' ? Number(header) : Number.NaN;
  return Number.isFinite(value) ? value : undefined;
}

/** The exchange sends seconds. */
function readRetryAfter(header: string | string[] | undefined): number | undefined {
  const seconds = readNumber(header);
  return seconds === undefined ? undefined : seconds * 1000;
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Headers such as `x-mbx-order-count-10s: 3`: orders of the account by window length in ms. */
function readOrderCounts(headers: Reply['headers']): Map<number, number> {
  const counts = new Map<number, number>();
  for (const [name, value] of Object.entries(headers)) {
    const [, amount, unit] = /^x-mbx-order-count-(\d+)([smhd])$/i.exec(name) ?? [];
    const count = readNumber(value);
    if (amount !== undefined && unit !== undefined && count !== undefined) {
      counts.set(Number(amount) * (UNIT_MS[unit.toLowerCase()] ?? 0), count);
    }
  }
  return counts;
}

function replyError(status: number, error: z.infer<typeof failure> | undefined, text: string): ExchangeError {
  const code = error?.code ?? null;
  const message = error?.msg ?? `The exchange answered with status ${status} and no error code.`;
  return new ExchangeError(message, {
    reason: reasonOf(status, code, message),
    status,
    code,
    payload: error === undefined ? text.slice(0, SHOWN_CHARACTERS) : readExactJson(text),
  });
}

function networkError(error: unknown, restUrl: string, request: HttpRequest): ExchangeError {
  const name = error instanceof Error ? error.name : '';
  const timedOut = name === 'TimeoutError' || /timeout/i.test(codeOf(error));
  const seconds = (request.timeoutMs ?? DEFAULT_TIMEOUT_MS) / 1000;
  const cause = timedOut ? `No answer within ${seconds} s` : `The connection failed (${codeOf(error) || name})`;
  return new ExchangeError(`${cause}: ${request.method} ${restUrl}${request.path}.`, {
    reason: timedOut ? 'timeout' : 'network',
    status: null,
    code: null,
    payload: null,
  });
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

interface UnsignedCall {
  readonly path: string;
  readonly params?: Params;
  readonly priority: RequestPriority;
  readonly weight: number;
  readonly waitMs?: number;
}

const READ_WAIT_MS = 60_000;

/** The error for a request that the rate limiter did not admit in time. */
export const notAdmitted = (path: string): ExchangeError =>
  new ExchangeError(`${path} was not requested: the exchange's rate limit leaves no room for it now.`, {
    reason: 'rate-limited',
    status: null,
    code: null,
    payload: null,
  });

/** GET without key or signature. Throws ExchangeError. */
export async function callUnsigned(transport: Transport, call: UnsignedCall): Promise<unknown> {
  const { priority, weight, path } = call;
  const reservation = await transport.limiter.acquire({ priority, weight, waitMs: call.waitMs ?? READ_WAIT_MS });
  if (reservation === undefined) throw notAdmitted(path);
  return transport.send({ method: 'GET', path, query: encodeQuery(call.params ?? {}), reservation });
}
