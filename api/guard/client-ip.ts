import { isIP } from 'node:net';

const LONGEST_IP = 100;
/** Address of a request without proxy headers. */
export const UNKNOWN = 'unknown';

/**
 * The address of the client as the one proxy in front reports it: the rightmost X-Forwarded-For hop, else X-Real-IP,
 * else `unknown`. The socket address is the proxy's, so it never counts. Several header lines arrive joined by commas.
 */
export function clientIp(headers: Pick<Headers, 'get'>): string {
  const hops = (headers.get('x-forwarded-for') ?? '').split(',').map((hop) => hop.trim());
  const nearest = hops.findLast((hop) => hop !== '');
  const address = nearest ?? headers.get('x-real-ip')?.trim();
  return address === undefined || address === '' ? UNKNOWN : address.slice(0, LONGEST_IP);
}

/** The eight groups of an IPv6 address. */
function groupsOf(address: string): string[] {
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = [], tail] = canonical.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  const known = [...head, ...(tail ?? [])].length;
  return [...head, ...(tail === undefined ? [] : [...Array<string>(8 - known).fill('0'), ...tail])];
}

/** The IPv4 address in the last two groups. */
const mappedAddress = (groups: readonly string[]): string =>
  groups
    .slice(-2)
    .flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255])
    .join('.');

/**
 * Throttle key of an address: an IPv4 address without its port, or the /64 network of an IPv6 address, which belongs to one
 * customer. Other text is its own key.
 */
export function networkOf(ip: string): string {
  const unwrapped = /^\[(.*)\](?::\d+)?$/.exec(ip)?.[1] ?? /^([\d.]+):\d+$/.exec(ip)?.[1] ?? ip;
  const address = unwrapped.replace(/%.*$/, '');
  if (isIP(address) !== 6) return address;
  const groups = groupsOf(address);
  if (groups.slice(0, 5).every((group) => group === '0') && groups[5] === 'ffff') return mappedAddress(groups);
  return `${groups.slice(0, 4).join(':')}::/64`;
}
