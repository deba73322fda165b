const LONGEST_IP = 100;

/**
 * The address of the client as the one proxy in front reports it: the rightmost X-Forwarded-For hop, else X-Real-IP,
 * else `unknown`. The socket address is the proxy's, so it never counts. Several header lines arrive joined by commas.
 */
export function clientIp(headers: Pick<Headers, 'get'>): string {
  const hops = (headers.get('x-forwarded-for') ?? '').split(',').map((hop) => hop.trim());
  const nearest = hops.findLast((hop) => hop !== '');
  const address = nearest ?? headers.get('x-real-ip')?.trim();
  return address === undefined || address === '' ? 'unknown' : address.slice(0, LONGEST_IP);
}
