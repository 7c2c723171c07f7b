/** Reads the target from a request line and a `Host` header. */
import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { readRequest } from './asked.ts';

const read = (url: string, host = 'a.localhost') =>
  readRequest({
    httpVersionMajor: 1,
    httpVersionMinor: 1,
    method: 'GET',
    url,
    headers: { host },
    rawHeaders: ['Host', host],
  } as unknown as IncomingMessage);

test.each([
  ['a.localhost', 'a.localhost'],
  ['A.Example.:4080', 'a.example'],
  ['', ''],
  ['[::1]:80', '[::1]'],
])('Host %s names %s', (host, hostname) => expect(read('/x?y', host)).toEqual({ host, hostname, url: '/x?y', body: undefined }));

test.each([
  ['http://B.localhost:4080/x//y?z#a', 'B.localhost:4080', '/x//y?z#a'],
  ['HTTP://b.localhost', 'b.localhost', '/'],
  ['http://b.localhost?z', 'b.localhost', '/?z'],
  ['http://b.localhost/http://c.localhost/', 'b.localhost', '/http://c.localhost/'],
])('%s is of the host in it, whatever the header says', (line, host, url) => expect(read(line)).toMatchObject({ host, url }));

test.each(['https://b.localhost/', 'http:///x', 'http://', 'http://anna@b.localhost/', 'ftp://b.localhost/', 'b.localhost:80'])(
  '%s is refused',
  (line) => expect(read(line)).toMatchObject({ status: 400 }),
);
