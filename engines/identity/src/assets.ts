// Style sheet and fonts of the pages, served from memory.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';

const load = (file: string, type: string) => {
  const body = fs.readFileSync(new URL(`./assets/${file}`, import.meta.url));
  return { body, type, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"` };
};

const assets = new Map([
  ['sign-in.css', load('sign-in.css', 'text/css; charset=utf-8')],
  ['atkinson-next.woff2', load('fonts/atkinson-hyperlegible-next-latin-wght-normal.woff2', 'font/woff2')],
  ['atkinson-mono.woff2', load('fonts/atkinson-hyperlegible-mono-latin-wght-normal.woff2', 'font/woff2')],
]);

/** Serves an asset. Returns false if it does not exist. Browsers revalidate it on every page and get 304. */
export const replyAsset = (name: string, request: IncomingMessage, response: ServerResponse): boolean => {
  const asset = assets.get(name);
  if (!asset) return false;
  const headers = { 'content-type': asset.type, 'cache-control': 'no-cache', etag: asset.etag };
  if (request.headers['if-none-match'] === asset.etag) response.writeHead(304, headers).end();
  else response.writeHead(200, { ...headers, 'content-length': asset.body.length }).end(asset.body);
  return true;
};
