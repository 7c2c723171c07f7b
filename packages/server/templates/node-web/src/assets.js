// The files in public/, read once: what is not in this list cannot be asked for.
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { extname } from 'node:path';

const folder = new URL('../public/', import.meta.url);
const TYPES = { '.css': 'text/css; charset=utf-8', '.svg': 'image/svg+xml', '.png': 'image/png', '.woff2': 'font/woff2', '.js': 'text/javascript' };

const assets = new Map(
  readdirSync(folder).map((name) => {
    const content = readFileSync(new URL(name, folder));
    const version = createHash('sha256').update(content).digest('hex').slice(0, 12);
    return [name, { content, version, type: TYPES[extname(name)] ?? 'application/octet-stream' }];
  }),
);

export const findAsset = (name) => assets.get(name);

/** `style.css` → `style.css?v=0f3a…`: browsers may keep it for good, because a change gives another address. */
export const assetAddress = (name) => `${name}?v=${assets.get(name).version}`;
