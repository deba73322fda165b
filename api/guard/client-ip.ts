import { isIP } from 'node:net';

const LONGEST_IP = 100;
/** Stands for the address of a request that no proxy passed on. */
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

/** The eight groups of an address of version 6. */
function groupsOf(address: string): string[] {
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = [], tail] = canonical.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  const known = [...head, ...(tail ?? [])].length;
  return [...head, ...(tail === undefined ? [] : [...Array<string>(8 - known).fill('0'), ...tail])];
}

/** The version 4 address that the last two groups write. */
const mappedAddress = (groups: readonly string[]): string =>
  groups
    .slice(-2)
    .flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255])
    .join('.');

/**
 * What a throttle counts for an address: one of version 4 without its port, of version 6 the network of 64 bits, which
 * one customer has whole. Text that is no address counts as it is.
 */
export function networkOf(ip: string): string {
  const bare = /^\[(.*)\](?::\d+)?$/.exec(ip)?.[1] ?? /^([\d.]+):\d+$/.exec(ip)?.[1] ?? ip;
  const address = bare.replace(/%.*$/, '');
  if (isIP(address) !== 6) return address;
  const groups = groupsOf(address);
  if (groups.slice(0, 5).every((group) => group === '0') && groups[5] === 'ffff') return mappedAddress(groups);
  return `${groups.slice(0, 4).join(':')}::/64`;
}
