import { clientIp } from './client-ip.ts';

const LONGEST_USER_AGENT = 300;

/** Source of a request, for the throttle, the audit trail and the cookie. */
export interface Caller {
  readonly ip: string;
  readonly userAgent: string;
  /** The request comes from a page of a listed https origin. */
  readonly secure: boolean;
  /** Names of the session's cookie: the name for the page's origin first, then names for its other possible origins. */
  readonly cookieNames: readonly [string, ...string[]];
}

const isHttps = (origin: string): boolean => origin.startsWith('https://');

/** Browsers send no Origin with same-origin reads: then the listed origins of the requested host count. */
function originsOf(headers: Pick<Headers, 'get'>, origin: string | null, listed: readonly string[]): readonly string[] {
  if (origin !== null) return [origin];
  const host = headers.get('host');
  const ofHost = listed.filter((candidate) => new URL(candidate).host === host);
  return ofHost.length > 0 ? ofHost : listed;
}

/** Browsers send a cookie to every port of its host, so the port is part of the name. */
function cookieNameOf(origin: string): string {
  const { port } = new URL(origin);
  return isHttps(origin) ? `__Host-tradewind_session_${port || '443'}` : `tradewind_session_${port || '80'}`;
}

export function callerOf(
  headers: Pick<Headers, 'get'>,
  { origin, listed }: { readonly origin: string | null; readonly listed: readonly string[] },
): Caller {
  const origins = originsOf(headers, origin, listed);
  const [name = 'tradewind_session', ...others] = new Set(origins.map(cookieNameOf));
  return {
    ip: clientIp(headers),
    userAgent: (headers.get('user-agent') ?? '').slice(0, LONGEST_USER_AGENT),
    secure: origins.length > 0 && origins.every(isHttps),
    cookieNames: [name, ...others],
  };
}
