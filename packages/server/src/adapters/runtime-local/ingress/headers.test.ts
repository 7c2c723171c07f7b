/** What a client may not say in the edge's place. */
import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { requestHeaders } from './headers.ts';

const passed = (...rawHeaders: string[]): string[] => {
  const pairs = Array.from({ length: rawHeaders.length / 2 }, (_, at) => [rawHeaders[2 * at]?.toLowerCase(), rawHeaders[2 * at + 1]]);
  // Of a name that stands twice Node keeps the first.
  const headers = Object.fromEntries(pairs.toReversed());
  const request = { rawHeaders, headers, socket: { remoteAddress: '192.0.2.1' } } as unknown as IncomingMessage;
  const all = requestHeaders(request, { prefix: undefined, user: 'anna', claims: undefined, isUpgrade: false });
  return all.filter((_, index) => index % 2 === 0).map((name, index) => `${name}: ${all[2 * index + 1]}`);
};
const said = ['x-forwarded-for: 192.0.2.1', 'x-forwarded-proto: http', 'x-forwarded-host: ', 'x-forwarded-user: anna'];

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
])('%s is not believed', (name) => expect(passed(name, 'root')).toEqual(said));

test.each(['X-Request-Id', 'Cookie', 'X-Forward', 'X-Forwardedly'])('%s passes', (name) =>
  expect(passed(name, 'a')).toEqual([`${name}: a`, ...said]),
);

test('of two hosts the one that the edge went by passes', () => {
  expect(passed('Host', 'a.localhost', 'Accept', '*/*', 'host', 'b.localhost')).toEqual([
    'Host: a.localhost',
    'Accept: */*',
    ...said.with(2, 'x-forwarded-host: a.localhost'),
  ]);
});
