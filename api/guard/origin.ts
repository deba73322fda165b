import { ApiProblem } from '#api/frame/problem.ts';
import { bearerIn } from './token.ts';

/** Header that a foreign page cannot send without a preflight, which is refused. */
const CLIENT_HEADER = 'x-tradewind-client';
const READING = new Set(['GET', 'HEAD', 'OPTIONS']);

interface OriginQuestion {
  readonly method: string;
  /** True for the addresses of assistants and of signals, which look at no cookie. */
  readonly ignoresCookies: boolean;
  readonly headers: Pick<Headers, 'get'>;
  readonly allowed: readonly string[];
}

/**
 * The listed origin of a request, or null without an Origin header. Throws for a foreign origin, reads
 * too, and for a change that carries neither an origin nor the client header.
 */
export function requireOrigin({ method, headers, allowed, ignoresCookies }: OriginQuestion): string | null {
  const origin = headers.get('origin');
  if (origin !== null) {
    if (allowed.includes(origin)) return origin;
    throw new ApiProblem('origin_rejected', `The origin ${origin.slice(0, 200)} is not listed in WEB_ORIGIN.`);
  }
  // No browser adds a token automatically.
  if (ignoresCookies || READING.has(method) || headers.get(CLIENT_HEADER) === '1' || bearerIn(headers) !== undefined)
    return null;
  throw new ApiProblem(
    'origin_rejected',
    `A change needs an Origin listed in WEB_ORIGIN, or, outside a browser, the header ${CLIENT_HEADER}: 1.`,
  );
}

/**
 * Throws when a browser reports a request of another site, or of another port of this host, without an Origin, such as for
 * an image: browsers send the session's cookie to every port. A page of a listed origin sends its Origin and passes.
 */
export function requireSameSite(headers: Pick<Headers, 'get'>): void {
  const site = headers.get('sec-fetch-site');
  if (site === null || site === 'same-origin' || site === 'none' || headers.get('origin') !== null) return;
  throw new ApiProblem('origin_rejected', 'Only pages of this address may read this: open the web app.');
}

/** Headers that let a page of a listed origin read the response, cookies included. */
export function corsHeaders(origin: string | null): Record<string, string> {
  if (origin === null) return { vary: 'Origin' };
  return {
    vary: 'Origin',
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'true',
    'access-control-expose-headers': 'retry-after, x-request-id',
  };
}

export const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
  'access-control-allow-headers': `content-type, ${CLIENT_HEADER}`,
  'access-control-max-age': '600',
} as const;
