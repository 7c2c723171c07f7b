/** Serves the built console: hashed files for ever, the page itself never cached, and the page for every path that is a screen. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { Problem } from '#kernel/problem.ts';

/** Passed by every screen without a nonce (the console design's measurement); the authority's origin is added for sign-in. */
const policy = (authority: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self' data: blob:",
    `connect-src 'self' ${new URL(authority).origin}`,
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');

const isApi = (path: string): boolean => /^\/(api|openapi\.json|collect|sub|v2|git|oidc|docs)(\/|$|\?)/.test(path);
/** By its ending. Names within an app may have one as well: the tag of an image is `1.4.0`. */
const isFile = (path: string): boolean => /\.\w+$/.test(path) && !path.startsWith('/app/');

export const mountConsole = async (server: FastifyInstance, directory: string, authority: string): Promise<void> => {
  const page = join(directory, 'index.html');
  if (!existsSync(page)) throw new Error(`The console is not built: ${page} is missing. Run npm start, which builds it.`);
  const headers = {
    'content-security-policy': policy(authority),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    'cache-control': 'no-cache',
  };
  await server.register(fastifyStatic, {
    root: directory,
    index: false,
    preCompressed: true,
    wildcard: true,
    cacheControl: false,
    setHeaders: (reply, path) => {
      // The page under its own name, too: without its policy it could be framed.
      if (/\.html(\.\w+)?$/.test(path)) return void reply.headers(headers);
      reply.header('x-content-type-options', 'nosniff');
      reply.header('cache-control', path.includes('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache');
    },
  });
  // Read each time: a new build while the server runs brings new names of its files. While it is being written the last one serves.
  let last = await readFile(page, 'utf8');
  const html = async (): Promise<string> => (last = await readFile(page, 'utf8').catch(() => last));
  server.get('/', async (_request, reply) =>
    reply
      .headers(headers)
      .type('text/html; charset=utf-8')
      .send(await html()),
  );
  server.setNotFoundHandler(async (request, reply) => {
    const isScreen = request.method === 'GET' && !isApi(request.url) && !isFile(request.url.split('?')[0] ?? '');
    if (!isScreen) throw new Problem('MISSING_RESOURCE');
    return reply
      .headers(headers)
      .type('text/html; charset=utf-8')
      .send(await html());
  });
};
