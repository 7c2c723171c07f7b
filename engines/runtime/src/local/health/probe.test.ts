/** One HTTP probe of a health check, with paths as users write them. */
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import type { SandboxedProcess } from '../../sandbox/sandbox.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { probe } from './probe.ts';
import { scrapeInstance } from '../scrape.ts';

let server: Server;
let port: number;
let asked: string | undefined;
beforeAll(async () => {
  server = createServer((request, response) => {
    asked = request.url;
    response.end('up 1\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => server.close());

test.each([
  ['/healthz?deep=1', '/healthz?deep=1'],
  ['/größe/☃', '/gr%C3%B6%C3%9Fe/%E2%98%83'],
  ['/a%20b', '/a%20b'],
])('%s is asked for as %s', async (path, expected) => {
  const times = { initialDelaySeconds: 0, periodSeconds: 1, timeoutSeconds: 1, successThreshold: 1, failureThreshold: 1 };
  const check = { type: 'http', http: { port, path }, ...times } as const;
  const instance = { connect: (number: number) => connect(number, '127.0.0.1') } as SandboxedProcess;
  expect(await probe(check, instance, port)).toBeUndefined();
  expect(asked).toBe(expected);
  asked = undefined;
  await scrapeInstance(() => instance.connect(port), { path, timeoutMs: 1000, maxBytes: 100 });
  expect(asked).toBe(expected);
});
