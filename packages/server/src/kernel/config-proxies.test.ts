/** Configured proxies, whose forwarded addresses are trusted. */
import { expect, test } from 'vitest';
import { readConfig } from './config.ts';

test('proxies are addresses and networks; nobody is one unless said', () => {
  expect(readConfig({}).trustedProxies).toEqual([]);
  expect(readConfig({ SLIPWAY_TRUSTED_PROXIES: '10.0.0.1, 10.1.0.0/16,2001:db8::/32' }).trustedProxies).toEqual([
    '10.0.0.1',
    '10.1.0.0/16',
    '2001:db8::/32',
  ]);
});

test.each(['proxy.example.com', '10.0.0.1/33', '10.0.0.1/', '10.0.0.1/8/8', '2001:db8::/129', '*'])('%s stops the start', (value) => {
  expect(() => readConfig({ SLIPWAY_TRUSTED_PROXIES: value })).toThrow(/SLIPWAY_TRUSTED_PROXIES/);
});
