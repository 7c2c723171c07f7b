/** Serves the built console: hashed files are cached forever, the page itself never. Every path of a screen returns the page. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { Problem } from '#kernel/problem.ts';

/**
 * Content security policy that works on every screen without a nonce (measured in the console design). Includes the authority's origin for
 * sign-in.
 */
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
/** Detects files by extension. Names within an app may contain a dot too, such as the image tag `1.4.0`. */
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
      // Sets the policy for the page's own file name too, otherwise that URL could be framed.
      if (/\.html(\.\w+)?$/.test(path)) return void reply.headers(headers);
      reply.header('x-content-type-options', 'nosniff');
      reply.header('cache-control', path.includes('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache');
    },
  });
  // Read for every request, because a new build at run time changes the file names. During the build, the last version is served.
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
