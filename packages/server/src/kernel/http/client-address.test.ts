/** The client address for rate limits: clients cannot forge it. */
import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { clientAddresses, countedAs } from './client-address.ts';

const from = (remoteAddress: string, forwarded?: string) =>
  ({ socket: { remoteAddress }, headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded } }) as unknown as IncomingMessage;

test.each([
  ['10.1.2.3', '10.1.2.3'],
  ['::ffff:10.1.2.3', '10.1.2.3'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:0db8:1:2::9', '2001:db8:1:2'],
  ['::1', '0:0:0:0'],
  ['fe80::1', 'fe80:0:0:0'],
])('%s is counted as %s', (address, key) => {
  expect(countedAs(address)).toBe(key);
});

test('nobody is believed whom he speaks for, unless the operator says so', () => {
  expect(clientAddresses().of(from('10.0.0.9', '1.2.3.4'))).toBe('10.0.0.9');
  expect(clientAddresses(['10.0.0.8']).of(from('10.0.0.9', '1.2.3.4'))).toBe('10.0.0.9');
});

test('a proxy speaks for the last address that is no proxy', () => {
  const addresses = clientAddresses(['10.0.0.0/8', '::1']);
  expect(addresses.isProxy('::ffff:10.9.9.9')).toBe(true);
  expect(addresses.of(from('10.0.0.9', '6.6.6.6, 1.2.3.4, 10.0.0.2'))).toBe('1.2.3.4');
  expect(addresses.of(from('::1', '2001:db8:1:2::9'))).toBe('2001:db8:1:2');
  for (const nonsense of [undefined, '', 'unknown', '10.0.0.3']) expect(addresses.of(from('10.0.0.9', nonsense))).toBe('10.0.0.9');
});
