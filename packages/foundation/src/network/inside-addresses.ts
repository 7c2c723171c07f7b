/** Addresses of this machine and of private networks behind it. Sources: the special-purpose registries of IANA, RFC 6890. */
import { BlockList, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';

const IPV4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];
/**
 * Includes ranges that embed an IPv4 address: NAT64, 6to4 and Teredo. The first range covers IPv4-compatible addresses. The list itself
 * checks IPv4-mapped addresses as IPv4.
 */
const IPV6: readonly (readonly [string, number])[] = [
  ['::', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
];

const special = new BlockList();
for (const [address, bits] of IPV4) special.addSubnet(address, bits, 'ipv4');
for (const [address, bits] of IPV6) special.addSubnet(address, bits, 'ipv6');

type Interfaces = ReturnType<typeof networkInterfaces>;
const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIPv6(address) ? 'ipv6' : 'ipv4');

/** Includes this machine's own public addresses, because listeners may trust local callers. They may change at run time. */
export function isInside(address: string, interfaces: Interfaces = networkInterfaces()): boolean {
  const own = new BlockList();
  for (const entry of Object.values(interfaces).flat()) if (entry) own.addAddress(entry.address, familyOf(entry.address));
  return special.check(address, familyOf(address)) || own.check(address, familyOf(address));
}
