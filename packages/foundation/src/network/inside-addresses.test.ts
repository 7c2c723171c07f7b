/** Detects this machine's and private addresses, in every notation that a resolver may return. */
import { describe, expect, test } from 'vitest';
import { isInside } from './inside-addresses.ts';

describe('inside', () => {
  test.each([
    '127.0.0.1',
    '127.255.255.254',
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '100.64.0.1',
    '169.254.169.254',
    '192.0.0.192',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '192.0.2.1',
    '198.51.100.1',
    '203.0.113.1',
    '::',
    '::1',
    'fe80::1',
    'fc00::1',
    'fd00:ec2::254',
    'ff02::1',
    'fec0::1',
    '2001:db8::1',
    '2001::1',
    '100::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:169.254.169.254',
    '::ffff:10.0.0.1',
    '::127.0.0.1',
    '::7f00:1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::1',
    '2002:7f00:1::1',
    '0:0:0:0:0:0:0:1',
  ])('%s', (address) => expect(isInside(address)).toBe(true));

  const entry = { netmask: '', mac: '', internal: false, cidr: null };
  const eth0 = [
    { ...entry, family: 'IPv4' as const, address: '8.8.4.4' },
    { ...entry, family: 'IPv6' as const, address: '2606:4700::9', scopeid: 0 },
  ];
  test.each(['8.8.4.4', '::ffff:8.8.4.4', '2606:4700::9'])('%s, where it is an address of this machine', (address) => {
    expect(isInside(address, { eth0 })).toBe(true);
    expect(isInside(address, {})).toBe(false);
  });
});

test.each(['1.1.1.1', '8.8.8.8', '172.32.0.1', '100.128.0.1', '192.0.1.1', '2606:4700::1111', '::ffff:1.1.1.1'])(
  '%s is outside',
  (address) => {
    expect(isInside(address)).toBe(false);
  },
);
