import { clientIp } from './client-ip.ts';

const LONGEST_USER_AGENT = 300;

/** Where a request comes from, for the throttle, the audit trail and the cookie. */
export interface Caller {
  readonly ip: string;
  readonly userAgent: string;
  /** The request comes from a page of a listed https origin. */
  readonly secure: boolean;
}

const isHttps = (origin: string): boolean => origin.startsWith('https://');

/** Browsers send no Origin with reads of their own site: then the listed origins of the asked host decide. */
function isSecure(headers: Pick<Headers, 'get'>, origin: string | null, listed: readonly string[]): boolean {
  if (origin !== null) return isHttps(origin);
  const host = headers.get('host');
  const ofHost = listed.filter((one) => new URL(one).host === host);
  const candidates = ofHost.length > 0 ? ofHost : listed;
  return candidates.length > 0 && candidates.every(isHttps);
}

export const callerOf = (
  headers: Pick<Headers, 'get'>,
  { origin, listed }: { readonly origin: string | null; readonly listed: readonly string[] },
): Caller => ({
  ip: clientIp(headers),
  userAgent: (headers.get('user-agent') ?? '').slice(0, LONGEST_USER_AGENT),
  secure: isSecure(headers, origin, listed),
});
