// Answers HTTP requests: the status page, the same as JSON, and the health endpoint.
import { readFileSync } from 'node:fs';

import { section } from './connections.js';
import { statusPage } from './status-page.js';

const style = readFileSync(new URL('../public/style.css', import.meta.url));

const JSON_TYPE = 'application/json';
const json = (value) => `${JSON.stringify(value, null, 2)}\n`;

const answers = {
  '/': async ({ worker, intervalMs }) => ({
    type: 'text/html; charset=utf-8',
    body: statusPage({ runs: worker.runs(), health: worker.health(), intervalMs, connections: await section() }),
  }),
  '/runs.json': ({ worker }) => ({ type: JSON_TYPE, body: json({ runs: worker.runs() }) }),
  '/healthz': ({ worker }) => {
    const { isWell, reason } = worker.health();
    return { status: isWell ? 200 : 503, type: JSON_TYPE, body: json({ status: isWell ? 'ok' : 'ill', reason }) };
  },
  '/style.css': () => ({ type: 'text/css; charset=utf-8', body: style }),
};

const answer = async (request, state) => {
  const path = request.url.split('?', 1)[0];
  if (!Object.hasOwn(answers, path)) return { status: 404, type: JSON_TYPE, body: json({ status: 404, title: 'Not Found' }) };
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return { status: 405, type: JSON_TYPE, body: json({ status: 405, title: 'Method Not Allowed' }), headers: { allow: 'GET' } };
  }
  return answers[path](state);
};

/** The request handler for a worker. */
export const createApp = (state) => async (request, response) => {
  const { status = 200, type, body, headers } = await answer(request, state);
  response.writeHead(status, {
    'content-type': type,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; frame-ancestors 'none'",
    ...headers,
  });
  response.end(body);
};
