import { lookup as lookUpName, type LookupAddress, type LookupAllOptions } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** Whether calls to notifiers and AI providers may go to this machine and the networks around it. */
export type PrivateAddresses = 'allow' | 'refuse';

/** IPv4 and IPv6 subnets. An IPv4 subnet also matches its IPv4-mapped and NAT64 addresses. */
function subnets(v4: readonly string[], v6: readonly string[]): BlockList {
  const list = new BlockList();
  for (const [net = '', bits] of v4.map((text) => text.split('/'))) {
    list.addSubnet(net, Number(bits), 'ipv4');
    list.addSubnet(`64:ff9b::${net}`, 96 + Number(bits), 'ipv6');
  }
  for (const [net = '', bits] of v6.map((text) => text.split('/'))) list.addSubnet(net, Number(bits), 'ipv6');
  return list;
}

/** Cloud metadata addresses, which return credentials of the machine; never allowed. */
const METADATA = subnets(
  ['169.254.0.0/16', '100.100.100.200/32', '168.63.129.16/32', '192.0.0.192/32'],
  ['fe80::/10', 'fd00:ec2::254/128', 'fd20:ce::254/128'],
);

/** This machine, private networks, and addresses that are not of one host (RFC 6890). */
const PRIVATE = subnets(
  [
    ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '172.16.0.0/12', '192.0.0.0/24'],
    ...['192.168.0.0/16', '198.18.0.0/15', '224.0.0.0/4', '240.0.0.0/4'],
  ],
  ['::/128', '::1/128', 'fc00::/7', 'fec0::/10', 'ff00::/8', '2001::/32', '2002::/16', '64:ff9b:1::/48'],
);

const isIn = (list: BlockList, address: string): boolean => list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
export const isMetadata = (address: string): boolean => isIn(METADATA, address);
export const isPrivate = (address: string): boolean => isIn(PRIVATE, address);

/** Why an address is refused; undefined when it is allowed. */
export function refusalOf(address: string, allowed: PrivateAddresses): string | undefined {
  if (isMetadata(address)) return `${address} is an address of the machine that hosts this one`;
  if (allowed === 'allow' || !isPrivate(address)) return undefined;
  return `${address} is a private address; set OUTGOING_PRIVATE=allow to send there`;
}

/** The name of the receiver resolves to a refused address. */
export class AddressRefused extends Error {
  override name = 'AddressRefused';
}

type LookUp = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void,
) => void;

/**
 * Resolves a name for one connection and refuses it when any of its addresses is refused. The connection uses the checked
 * addresses, so a name that changes between two lookups does not pass (DNS rebinding).
 */
export const guardedLookup =
  (allowed: PrivateAddresses, lookUp: LookUp = lookUpName): LookupFunction =>
  (hostname, options, callback) => {
    lookUp(hostname, { ...options, all: true }, (error, found) => {
      const [first] = found ?? [];
      if (error !== null || first === undefined) return callback(error ?? new Error('The name has no address.'), '');
      const [refused] = found.flatMap(({ address }) => refusalOf(address, allowed) ?? []);
      if (refused !== undefined) return callback(new AddressRefused(refused), '');
      if (options.all === true) return callback(null, found);
      callback(null, first.address, first.family);
    });
  };
