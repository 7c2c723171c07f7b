// Answers HTTP requests: the page, its form, the files in public/ and the health endpoint.
import { findAsset } from './assets.js';
import { record, section } from './connections.js';
import { log } from './log.js';
import { readEntry } from './logbook.js';
import { messagePage, page } from './page.js';
import { readBody } from './read-body.js';

const FORM_LIMIT_BYTES = 16 * 1024;

// No script may run here and nothing is loaded from elsewhere, so that text in the logbook can do no harm even if escaping failed.
const HEADERS = {
  'content-security-policy': "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
};

/** Throw it anywhere in a handler to answer with a page that says so. */
class Refusal extends Error {
  constructor(status, title, text, headers = {}) {
    super(text);
    Object.assign(this, { status, title, headers });
  }
}

const send = (response, status, body, headers = {}) => {
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store', ...HEADERS, ...headers });
  response.end(body);
};

/** Browsers say where a form was sent from. A form on somebody else's page may not write here. */
const isFromElsewhere = ({ headers }) => {
  if (headers['sec-fetch-site'] !== undefined) return !['same-origin', 'none'].includes(headers['sec-fetch-site']);
  return headers.origin !== undefined && (!URL.canParse(headers.origin) || new URL(headers.origin).host !== headers.host);
};

const readForm = async (request) => {
  if (isFromElsewhere(request)) throw new Refusal(403, 'Not from here', 'The form was sent from another site.');
  if (!/^application\/x-www-form-urlencoded\b/.test(request.headers['content-type'] ?? '')) {
    throw new Refusal(415, 'Not a form', 'Only the form on the page can be sent here.');
  }
  const body = await readBody(request, FORM_LIMIT_BYTES);
  if (body === undefined) throw new Refusal(413, 'Too much', 'The form is too large.', { connection: 'close' });
  return new URLSearchParams(body.toString('utf8'));
};

const showPage = async (response, { logbook }) => {
  await record('Somebody opened the page');
  send(response, 200, page({ list: logbook.list(), connections: await section() }));
};

const takeForm = async (request, response, { logbook }) => {
  const { values, errors } = readEntry(await readForm(request));
  if (Object.keys(errors).length > 0) return send(response, 422, page({ list: logbook.list(), values, errors, connections: await section() }));
  logbook.add(values);
  await record(`${values.name} wrote into the logbook`);
  // Sent on to the page, so that a reload does not send the form again.
  return send(response, 303, '', { location: './#logbook' });
};

const sendAsset = (response, { content, type }) =>
  send(response, 200, content, { 'content-type': type, 'cache-control': 'public, max-age=31536000, immutable' });

const answer = async (request, response, path, state) => {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const asset = findAsset(path.slice(1));
  if (path !== '/' && path !== '/healthz' && asset === undefined) throw new Refusal(404, 'Nothing here', 'There is no such page.');
  if (path === '/' && request.method === 'POST') return takeForm(request, response, state);
  if (!isRead) throw new Refusal(405, 'Not possible', `${request.method} is not possible here.`, { allow: path === '/' ? 'GET, POST' : 'GET' });
  if (path === '/') return showPage(response, state);
  if (path === '/healthz') return send(response, 200, '{"status":"ok"}\n', { 'content-type': 'application/json' });
  return sendAsset(response, asset);
};

/** The request handler for a logbook. */
export const createApp = (state) => async (request, response) => {
  const startedAt = performance.now();
  const path = request.url.split('?', 1)[0];
  try {
    await answer(request, response, path, state);
  } catch (error) {
    if (response.destroyed || response.headersSent) return void response.destroy();
    const isExpected = error instanceof Refusal;
    if (!isExpected) log.error('request failed', { method: request.method, path, error: String(error?.stack ?? error) });
    const { status, title, message, headers } = isExpected
      ? error
      : { status: 500, title: 'Something went wrong', message: 'The page could not be made. The log says why.', headers: {} };
    send(response, status, messagePage(title, message), headers);
  }
  // The platform asks for the health every second or so: those lines would drown the others.
  if (path !== '/healthz') {
    log.info('request', { method: request.method, path, status: response.statusCode, tookMs: Math.round(performance.now() - startedAt) });
  }
};
