/** Addresses of this machine and of the networks behind it, where strangers have no business. Sources: the special-purpose registries of IANA, RFC 6890. */
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
/** Also what holds an IPv4 address within: NAT64, 6to4 and Teredo. IPv4-compatible ones stand with the first; IPv4-mapped ones are judged as IPv4 by the list itself. */
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

/** Also this machine's own public addresses: what listens there may trust who comes from the machine itself. They change while it runs. */
export function isInside(address: string, interfaces: Interfaces = networkInterfaces()): boolean {
  const own = new BlockList();
  for (const entry of Object.values(interfaces).flat()) if (entry) own.addAddress(entry.address, familyOf(entry.address));
  return special.check(address, familyOf(address)) || own.check(address, familyOf(address));
}
