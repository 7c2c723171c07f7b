// Answers HTTP requests: the API, its documents, and the health endpoint.
import { readFileSync } from 'node:fs';

import { record, section } from './connections.js';
import { indexPage } from './index-page.js';
import { log } from './log.js';
import { openapi } from './openapi.js';
import { Problem } from './problem.js';
import { readBody } from './read-body.js';
import { findRoute } from './routes.js';

const BODY_LIMIT_BYTES = 64 * 1024;
const style = readFileSync(new URL('../public/style.css', import.meta.url));

const send = (response, status, type, body, headers = {}) => {
  response.writeHead(status, {
    'content-type': type,
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; frame-ancestors 'none'",
    ...headers,
  });
  response.end(body);
};

const sendJson = (response, status, body, headers, type = 'application/json') =>
  body === undefined ? response.writeHead(status, headers).end() : send(response, status, type, `${JSON.stringify(body, null, 2)}\n`, headers);

const readJson = async (request) => {
  if (!/^application\/json\b/.test(request.headers['content-type'] ?? '')) throw new Problem(415, 'Send the body as application/json');
  const body = await readBody(request, BODY_LIMIT_BYTES);
  if (body === undefined) throw new Problem(413, `The body is larger than ${BODY_LIMIT_BYTES} bytes`, { headers: { connection: 'close' } });
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new Problem(400, 'The body is not valid JSON');
  }
};

/** What is not the API itself. */
const documents = {
  '/': async (response) => {
    await record('Somebody opened the page');
    send(response, 200, 'text/html; charset=utf-8', indexPage(await section()));
  },
  '/style.css': (response) => send(response, 200, 'text/css; charset=utf-8', style, { 'cache-control': 'max-age=300' }),
  '/openapi.json': (response) => sendJson(response, 200, openapi),
  '/healthz': (response) => sendJson(response, 200, { status: 'ok' }, { 'cache-control': 'no-store' }),
};

const answer = async (request, response, url, store) => {
  if (Object.hasOwn(documents, url.pathname)) {
    if (request.method === 'GET' || request.method === 'HEAD') return documents[url.pathname](response);
    throw new Problem(405, `${request.method} is not possible at ${url.pathname}`, { headers: { allow: 'GET' } });
  }
  const { route, params } = findRoute(request.method, url.pathname);
  const body = route.method === 'POST' ? await readJson(request) : undefined;
  const result = await route.run({ params, query: url.searchParams, body, store });
  await record(`${request.method} ${url.pathname}`);
  return sendJson(response, result.status, result.body, result.headers);
};

/** The request handler for a store of berths. */
export const createApp = ({ store }) => async (request, response) => {
  const startedAt = performance.now();
  const path = request.url.split('?', 1)[0];
  try {
    if (!URL.canParse(request.url, 'http://localhost')) throw new Problem(400, 'The address is not valid');
    await answer(request, response, new URL(request.url, 'http://localhost'), store);
  } catch (error) {
    if (response.destroyed || response.headersSent) return void response.destroy();
    const isExpected = error instanceof Problem;
    // A malformed escape in the path (`%zz`) is the caller's mistake.
    const problem = isExpected ? error : new Problem(error instanceof URIError ? 400 : 500, 'The request could not be answered');
    if (problem.status === 500) log.error('request failed', { method: request.method, path, error: String(error?.stack ?? error) });
    sendJson(response, problem.status, problem, problem.headers, 'application/problem+json');
  }
  // The platform asks for the health every second or so: those lines would drown the others.
  if (path !== '/healthz') {
    log.info('request', { method: request.method, path, status: response.statusCode, tookMs: Math.round(performance.now() - startedAt) });
  }
};
