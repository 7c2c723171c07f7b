/** Headers that a client may not set in place of the edge. */
import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { requestHeaders } from './headers.ts';

const asked = { host: 'a.localhost', hostname: 'a.localhost', url: '/', body: undefined };
const passed = (...rawHeaders: string[]): string[] => {
  const pairs = Array.from({ length: rawHeaders.length / 2 }, (_, at) => [rawHeaders[2 * at]?.toLowerCase(), rawHeaders[2 * at + 1]]);
  // Node keeps the first of duplicate headers.
  const headers = Object.fromEntries(pairs.toReversed());
  const request = { method: 'GET', rawHeaders, headers, socket: { remoteAddress: '192.0.2.1' } } as unknown as IncomingMessage;
  const all = requestHeaders(request, { asked, prefix: undefined, user: 'anna', claims: undefined, isUpgrade: false });
  return all.filter((_, index) => index % 2 === 0).map((name, index) => `${name}: ${all[2 * index + 1]}`);
};
const said = ['x-forwarded-for: 192.0.2.1', 'x-forwarded-proto: http', 'x-forwarded-host: a.localhost', 'x-forwarded-user: anna'];
const host = 'host: a.localhost';

test.each([
  'X-Forwarded-User',
  'X_Forwarded_User',
  'x-forwarded_user',
  'X-Forwarded-Port',
  'Forwarded',
  'X-Real-IP',
  'X_Real_IP',
  'X-Original-URL',
  'X-Slipway-Claims',
  'x_slipway-claims',
  'X-Slipway-Anything',
])('%s is not believed', (name) => expect(passed(name, 'root')).toEqual([host, ...said]));

test.each(['X-Request-Id', 'Cookie', 'X-Forward', 'X-Forwardedly'])('%s passes', (name) =>
  expect(passed(name, 'a')).toEqual([host, `${name}: a`, ...said]),
);

test('the host is the one that the edge went by', () => {
  expect(passed('Host', 'b.localhost', 'Accept', '*/*')).toEqual([host, 'Accept: */*', ...said]);
});
