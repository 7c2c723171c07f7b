/** Checks by which addresses probes may call the server. requests.test.ts tries the gate over HTTP. */
import { expect, test } from 'vitest';
import { isOwnAddress } from './host-gate.ts';

test.each([
  ['10.1.2.3:4000', '10.1.2.3', true],
  ['10.1.2.3:4000', '::ffff:10.1.2.3', true],
  ['[fd00::7]:4000', 'fd00::7', true],
  ['10.1.2.3', '10.1.2.3', false],
  ['10.1.2.3:4001', '10.1.2.3', false],
  ['10.1.2.4:4000', '10.1.2.3', false],
  ['evil.example:4000', '10.1.2.3', false],
  [undefined, '10.1.2.3', false],
])('the host %s at %s is the own address: %s', (host, localAddress, isOwn) => {
  expect(isOwnAddress(host, { localAddress, localPort: 4000 })).toBe(isOwn);
});

test('a connection that has ended has no address', () => {
  expect(isOwnAddress('undefined:undefined', { localAddress: undefined, localPort: undefined })).toBe(false);
});
