/** Addresses of this machine and of the networks behind it, where strangers have no business. Sources: the special-purpose registries of IANA, RFC 6890. */
import { BlockList } from 'node:net';

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
/** Also what holds an IPv4 address within: NAT64, 6to4 and Teredo. IPv4-mapped ones are judged as IPv4 by the list itself. */
const IPV6: readonly (readonly [string, number])[] = [
  ['::', 127],
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

/** `check(address, family)` is true for an address inside. */
export const insideAddresses = new BlockList();
for (const [address, bits] of IPV4) insideAddresses.addSubnet(address, bits, 'ipv4');
for (const [address, bits] of IPV6) insideAddresses.addSubnet(address, bits, 'ipv6');
