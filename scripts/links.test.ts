/** Checks that the targets in the documents exist: relative links with their headings, pictures, and repository paths in backticks. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { engines, packages } from './workspaces.ts';

const root = resolve(import.meta.dirname, '..');
const inDocs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
const readmes = packages.map((folder) => join(folder, 'README.md')).filter((file) => existsSync(join(root, file)));
const documents = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md', ...inDocs.map((name) => join('docs', name)), ...readmes];

const withoutCode = (text: string): string => text.replaceAll(/^(?:```|~~~)[\s\S]*?^(?:```|~~~)/gm, '');
/** As GitHub and the user guide name headings. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .trim()
    .replaceAll(' ', '-');
const anchorsOf = (text: string): Set<string> =>
  new Set([...withoutCode(text).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading)));

const linksOf = (text: string): string[] => {
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g), ...text.matchAll(/\b(?:src|srcset|href)="([^"]+)"/g)].map(
    ([, target = '']) => target,
  );
  // Other sites, and addresses of a running platform, are not files of this repository.
  return links.filter((target) => !/^(?:[a-z]+:|\/|\?)/.test(target));
};
/** `packages/server/src/app.ts`, but not a pattern like `packages/<name>/…`. */
const pathsOf = (text: string): string[] =>
  [...text.matchAll(/`((?:packages|engines|scripts|docs|examples|bench|e2e|\.ci)\/[\w./-]*\w|\.[a-z-]+\.mjs)`/g)].map(
    ([, path = '']) => path,
  );

const missing = (document: string): string[] => {
  const text = readFileSync(join(root, document), 'utf8');
  const prose = withoutCode(text);
  const broken = linksOf(prose.replaceAll(/`[^`\n]*`/g, '')).filter((target) => {
    const [path = '', anchor] = target.split('#');
    const file = path === '' ? join(root, document) : resolve(root, dirname(document), path);
    if (!existsSync(file)) return true;
    return anchor !== undefined && file.endsWith('.md') && !anchorsOf(readFileSync(file, 'utf8')).has(anchor);
  });
  return [...broken, ...pathsOf(prose).filter((path) => !existsSync(join(root, path)))];
};

test.each(documents)('%s names only what exists', (document) => {
  expect(missing(document)).toEqual([]);
});

test.each(engines)('%s has a README', (folder) => {
  expect(documents).toContain(join(folder, 'README.md'));
});

test('a broken link, heading, picture or path would be seen', () => {
  const text = '[a](nowhere.md) [b](#nothing) <img src="none.png"> `packages/nothing/at-all.ts` [c](https://example.com)';
  expect(linksOf(text)).toEqual(['nowhere.md', '#nothing', 'none.png']);
  expect(pathsOf(text)).toEqual(['packages/nothing/at-all.ts']);
  expect(anchorsOf('## After kill -9').has('after-kill--9')).toBe(true);
});

/** The folders that each row of the README's table of what works names. */
const rowsOf = (readme: string): { readonly state: string; readonly folders: readonly string[] }[] =>
  [...readme.matchAll(/^\| ([^|]+) \| ([^|]+) \|([^|]*)\|$/gm)].slice(1).map(([, , state = '', code = '']) => ({
    state,
    folders: [...code.matchAll(/`([\w/-]+)`/g)].map(([, folder = '']) => folder),
  }));
const foldersIn = (place: string): string[] =>
  readdirSync(join(root, 'packages/server/src', place), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `${place}/${name}`);
/**
 * Returns the contradictions between the README and the existing folders: a folder that no row names, a named folder that does not exist,
 * a row that works without code, and a row that is not there yet but has code.
 */
const wrongIn = (readme: string): string[] => {
  const rows = rowsOf(readme);
  const named = new Set(rows.flatMap(({ folders }) => folders));
  return [
    ...[...foldersIn('modules'), ...foldersIn('adapters'), ...engines].filter((folder) => !named.has(folder)),
    ...[...named].filter((folder) => !existsSync(join(root, folder.startsWith('engines/') ? '' : 'packages/server/src', folder))),
    ...rows.filter(({ state, folders }) => state.startsWith('not there yet') === folders.length > 0).map(({ state }) => state),
  ];
};

test('the table of what works names every module, adapter and engine, and nothing that is missing', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  expect(rowsOf(readme).length).toBeGreaterThan(15);
  expect(wrongIn(readme)).toEqual([]);
  expect(wrongIn(readme.replace('`modules/databases`', '').replace('| not there yet | |', '| works | |'))).toEqual([
    'modules/databases',
    'works',
  ]);
});
