/** Outgoing calls: every notation of an inside address is rejected, unless an administrator allows it. */
import { describe, expect, test } from 'vitest';
import { OutgoingPolicy, type Resolve } from './outgoing-policy.ts';

const answers: Readonly<Record<string, readonly string[]>> = {
  'outside.example': ['93.184.216.34'],
  'inside.example': ['10.20.4.9'],
  'both.example': ['93.184.216.34', '127.0.0.1'],
  'six.example': ['2606:4700::1111', 'fe80::1'],
  'empty.example': [],
};
const resolve: Resolve = async (host) => {
  const found = answers[host];
  if (!found) throw Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
  return found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
};
const verdict = async (url: string, allow: readonly string[] = []): Promise<unknown> => {
  const asked = new OutgoingPolicy(allow, resolve).addresses(new URL(url));
  return asked.then(
    (found) => found.map(({ address }) => address),
    (error: { reason?: string }) => error.reason,
  );
};

describe('inside, in every spelling', () => {
  test.each([
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0177.0.0.1/',
    'http://0x7f.1/',
    'http://0x7f000001/',
    'http://127.1/',
    'http://０１７７.0.0.1/',
    'http://0/',
    'http://[::1]/',
    'http://[::]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[0:0:0:0:0:ffff:a9fe:a9fe]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[64:ff9b::a00:1]/',
    'http://[2002:7f00:1::]/',
    'http://[fd00:ec2::254]/',
    'http://[fe80::1]/',
    'http://[ff02::1]/',
    'http://169.254.169.254/latest/meta-data/',
    'http://100.100.100.200/',
    'http://192.168.1.1:8080/',
    'http://172.16.0.1/',
    'http://224.0.0.1/',
    'https://inside.example/',
    'https://both.example/',
    'https://six.example/',
  ])('%s', async (url) => expect(await verdict(url)).toBe('REFUSED_ADDRESS'));
});

test.each([
  ['http://outside.example:22/', 'REFUSED_TARGET'],
  ['http://outside.example:25/', 'REFUSED_TARGET'],
  ['ftp://outside.example/', 'REFUSED_TARGET'],
  ['file:///etc/passwd', 'REFUSED_TARGET'],
  ['http://user:secret@outside.example/', 'REFUSED_TARGET'],
  ['http://127.0.0.1@inside.example/', 'REFUSED_TARGET'],
  ['http://nowhere.example/', 'NAME_NOT_FOUND'],
  ['http://empty.example/', 'NAME_NOT_FOUND'],
])('%s: %s', async (url, reason) => expect(await verdict(url)).toBe(reason));

test.each(['https://outside.example/', 'http://outside.example:8080/hook', 'https://93.184.216.34/'])('%s may be called', async (url) =>
  expect(await verdict(url)).toEqual(['93.184.216.34']),
);

test.each([
  [['10.20.0.0/16'], 'https://inside.example/', ['10.20.4.9']],
  [['10.20.4.9'], 'https://inside.example/', ['10.20.4.9']],
  [['inside.example'], 'https://inside.example/', ['10.20.4.9']],
  [['inside.example:9'], 'http://inside.example:9/', ['10.20.4.9']],
  [['inside.example:9'], 'https://inside.example/', 'REFUSED_ADDRESS'],
  [['10.21.0.0/16'], 'https://inside.example/', 'REFUSED_ADDRESS'],
  [['10.20.0.0/16'], 'https://both.example/', 'REFUSED_ADDRESS'],
  [['::1'], 'http://[::1]:8000/', ['::1']],
])('%j allows %s: %j', async (allow, url, expected) => expect(await verdict(url, allow)).toEqual(expected));
