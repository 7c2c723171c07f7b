/** The console's files: the page always has its policy, and files outside the directory are not served. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createServer } from '#kernel/http/server.ts';
import { createLog } from '#kernel/log.ts';
import { mountConsole } from './console-files.ts';

let work: string;
let origins = async (): Promise<readonly string[]> => [];
let server: FastifyInstance;
beforeAll(async () => {
  work = await mkdtemp(join(tmpdir(), 'slipway-console-'));
  await mkdir(join(work, 'dist/assets'), { recursive: true });
  await writeFile(join(work, 'secret.txt'), 'not the console');
  await writeFile(join(work, 'dist/index.html'), '<title>Console</title>');
  await writeFile(join(work, 'dist/assets/a.js'), '1');
  server = createServer({ log: createLog('silent'), mounts: [], hosts: { accepts: () => true } });
  await mountConsole(server, join(work, 'dist'), 'https://sign-in.test/slipway', () => origins());
});
afterAll(async () => {
  await server.close();
  await rm(work, { recursive: true });
});

test.each(['/', '/index.html', '/some/screen', '/app/berth/production/container-registry/repositories/api/1.4.0'])(
  '%s is the page, with its policy',
  async (url) => {
    const { headers, body, statusCode } = await server.inject({ url });
    expect([statusCode, body]).toEqual([200, '<title>Console</title>']);
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; script-src 'self';.* https:\/\/sign-in\.test;.* frame-ancestors 'none'$/,
    );
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'cache-control': 'no-cache' });
  },
);

test('the policy allows the origins of added scripts, and keeps the last ones while the database is away', async () => {
  const policyNow = async () => String((await server.inject({ url: '/' })).headers['content-security-policy']);
  origins = async () => ['https://widget.test'];
  const allowed = await policyNow();
  for (const directive of ["script-src 'self'", "img-src 'self' data: blob:", "connect-src 'self' https://sign-in.test", 'frame-src'])
    expect(allowed).toContain(`${directive} https://widget.test;`);
  origins = () => new Promise(() => undefined);
  expect(await policyNow()).toBe(allowed);
  origins = () => Promise.reject(new Error('away'));
  expect(await policyNow()).toBe(allowed);
  origins = async () => [];
  expect(await policyNow()).not.toContain('widget');
});

test('hashed files are kept for ever', async () => {
  const { headers } = await server.inject({ url: '/assets/a.js' });
  expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'cache-control': 'public, max-age=31536000, immutable' });
});

test.each([
  '/../secret.txt',
  '/..%5csecret.txt',
  '/%2e%2e/secret.txt',
  '/assets/..%2f..%2fsecret.txt',
  '/assets/%00',
  '//v2/',
  '/api/../v2/',
])('%s is nowhere, and no fault of the server', async (url) => {
  const { statusCode, body, headers } = await server.inject({ url });
  expect([statusCode, JSON.parse(body).name, headers['x-content-type-options']]).toEqual([404, 'MISSING_RESOURCE', 'nosniff']);
});
