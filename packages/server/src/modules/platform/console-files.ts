/** Serves the built console: hashed files are cached forever, the page itself never. Every path of a screen returns the page. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { Problem } from '#kernel/problem.ts';

/** The page waits this long for the origins of scripts, then it takes the last ones that were read: it also loads while the database is away. */
const ORIGINS_MS = 500;

/**
 * Content security policy that works on every screen without a nonce (measured in the console design). Includes the authority's origin for
 * sign-in, and the origins of scripts that administrators added.
 */
const policy = (authority: string, scripts: readonly string[]): string =>
  [
    "default-src 'none'",
    ["script-src 'self'", ...scripts].join(' '),
    "style-src 'self'",
    "font-src 'self'",
    ["img-src 'self' data: blob:", ...scripts].join(' '),
    ["connect-src 'self'", new URL(authority).origin, ...scripts].join(' '),
    ...(scripts.length > 0 ? [`frame-src ${scripts.join(' ')}`] : []),
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');

const isApi = (path: string): boolean => /^\/(api|openapi\.json|collect|sub|v2|git|oidc|docs)(\/|$|\?)/.test(path);
/** Detects files by extension. Names within an app may contain a dot too, such as the image tag `1.4.0`. */
const isFile = (path: string): boolean => /\.\w+$/.test(path) && !path.startsWith('/app/');

export const mountConsole = async (
  server: FastifyInstance,
  directory: string,
  authority: string,
  scriptOrigins: () => Promise<readonly string[]>,
): Promise<void> => {
  const page = join(directory, 'index.html');
  if (!existsSync(page)) throw new Error(`The console is not built: ${page} is missing. Run npm start, which builds it.`);
  let lastPolicy = policy(authority, []);
  const readPolicy = async (): Promise<void> => {
    const read = scriptOrigins().then(
      (origins) => void (lastPolicy = policy(authority, origins)),
      () => undefined,
    );
    await Promise.race([read, delay(ORIGINS_MS, undefined, { ref: false })]);
  };
  const headers = () => ({
    'content-security-policy': lastPolicy,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    'cache-control': 'no-cache',
  });
  await server.register(fastifyStatic, {
    root: directory,
    index: false,
    preCompressed: true,
    wildcard: true,
    cacheControl: false,
    setHeaders: (reply, path) => {
      // Sets the policy for the page's own file name too, otherwise that URL could be framed.
      if (/\.html(\.\w+)?$/.test(path)) return void reply.headers(headers());
      reply.header('x-content-type-options', 'nosniff');
      reply.header('cache-control', path.includes('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache');
    },
  });
  // Read for every request, because a new build at run time changes the file names. During the build, the last version is served.
  let last = await readFile(page, 'utf8');
  const html = async (): Promise<string> => (last = await readFile(page, 'utf8').catch(() => last));
  const sendPage = async (reply: FastifyReply): Promise<FastifyReply> => {
    const [text] = await Promise.all([html(), readPolicy()]);
    return reply.headers(headers()).type('text/html; charset=utf-8').send(text);
  };
  server.get('/', (_request, reply) => sendPage(reply));
  server.setNotFoundHandler(async (request, reply) => {
    const isScreen = request.method === 'GET' && !isApi(request.url) && !isFile(request.url.split('?')[0] ?? '');
    if (!isScreen) throw new Problem('MISSING_RESOURCE');
    return sendPage(reply);
  });
};
