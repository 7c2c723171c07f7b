/** Builds the guide's style sheet and fonts at start: the design system's tokens and reset, and styles for documents. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface GuideFile {
  readonly body: Buffer;
  readonly type: string;
  readonly etag: string;
}

/** Read as files, not imported: the packages do not depend on each other's code. */
const designSystem = new URL('../../../../ui/', import.meta.url);
const fontPath = /url\('([^']+\.woff2)'\)/g;

const style = (name: string): string => readFileSync(new URL(`src/styles/${name}.css`, designSystem), 'utf8');
const fileOf = (body: Buffer, type: string): GuideFile => ({
  body,
  type,
  etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
});

/** Files by their path after `/docs/`. */
export const guideFiles = (): ReadonlyMap<string, GuideFile> => {
  const { resolve } = createRequire(fileURLToPath(new URL('package.json', designSystem)));
  const faces = style('fonts');
  const fonts = [...faces.matchAll(fontPath)].map(([, path = '']) => path);
  const sheet = [
    '@layer reset, tokens, base, components;',
    style('reset'),
    faces.replace(fontPath, (_, path: string) => `url('/docs/assets/${basename(path)}')`),
    style('tokens'),
    style('base'),
    readFileSync(new URL('guide.css', import.meta.url), 'utf8'),
  ].join('\n');
  return new Map([
    ['guide.css', fileOf(Buffer.from(sheet), 'text/css; charset=utf-8')],
    ...fonts.map((path) => [`assets/${basename(path)}`, fileOf(readFileSync(resolve(path)), 'font/woff2')] as const),
  ]);
};
