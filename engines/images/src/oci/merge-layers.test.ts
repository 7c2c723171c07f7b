import { expect, test } from 'vitest';

import type { LayerEntry } from './layer-entry.ts';
import { makeDirectories, mergeLayers } from './merge-layers.ts';
import type { DirectoryNode } from './merge-layers.ts';

const dir = (path: string): LayerEntry => ({ kind: 'directory', path });
const file = (path: string, content = '0'): LayerEntry => ({ kind: 'file', path, content, size: 1, isExecutable: false });
const symlink = (path: string, target: string): LayerEntry => ({ kind: 'symlink', path, target });
const hardlink = (path: string, target: string): LayerEntry => ({ kind: 'hardlink', path, target });
const whiteout = (path: string): LayerEntry => ({ kind: 'whiteout', path });
const opaque = (path: string): LayerEntry => ({ kind: 'opaque', path });

/** Every file as `path = layer/content`, every link as `path -> target`, every empty directory as `path/`. */
const listing = (node: DirectoryNode, path = ''): string[] =>
  [...node.children].flatMap(([name, child]) => {
    const at = path === '' ? name : `${path}/${name}`;
    if (child.kind === 'file') return [`${at} = ${child.source}`];
    if (child.kind === 'symlink') return [`${at} -> ${child.target}`];
    return child.children.size === 0 ? [`${at}/`] : listing(child, at);
  });
const merged = (...layers: LayerEntry[][]): string[] =>
  listing(
    mergeLayers(
      layers.map((entries, index) => ({ folder: `L${index}`, entries })),
      10_000,
    ),
  ).toSorted();

test('a higher layer replaces files and keeps the rest of a directory', () => {
  expect(merged([dir('app'), file('app/a', '1'), file('app/b', '2')], [dir('app'), file('app/a', '7')])).toEqual([
    'app/a = L1/7',
    'app/b = L0/2',
  ]);
});

test('whiteouts remove what lies below, never what their own layer brings', () => {
  expect(merged([file('a'), file('d/x'), file('keep')], [file('d/new', '3'), whiteout('d'), whiteout('a')])).toEqual([
    'd/new = L1/3',
    'keep = L0/0',
  ]);
  expect(merged([file('d/x'), file('d/e/y')], [file('d/z', '2'), opaque('d')])).toEqual(['d/z = L1/2']);
  expect(merged([file('a')], [whiteout('never/there'), opaque('nor/this'), whiteout('a/below-a-file')])).toEqual(['a = L0/0']);
});

test('a file may become a directory and a directory a file', () => {
  expect(merged([file('x'), file('y/in')], [dir('x'), file('x/in', '1'), file('y', '2')])).toEqual(['x/in = L1/1', 'y = L1/2']);
});

test('entries below a linked directory land where the link leads', () => {
  const base = [dir('usr/lib'), symlink('lib', 'usr/lib'), symlink('abs', '/usr/lib')];
  expect(merged(base, [file('lib/a.so', '1'), file('abs/b.so', '2'), whiteout('lib/none')])).toEqual([
    'abs -> /usr/lib',
    'lib -> usr/lib',
    'usr/lib/a.so = L1/1',
    'usr/lib/b.so = L1/2',
  ]);
});

test('hard links reach into lower layers and share the content', () => {
  expect(merged([file('bin/node', '4')], [hardlink('bin/nodejs', 'bin/node')])).toEqual(['bin/node = L0/4', 'bin/nodejs = L0/4']);
});

test.each<[string, LayerEntry[]]>([
  ['a link that climbs out of the image', [symlink('app/x', '../../etc/passwd')]],
  ['a link that climbs out and comes back', [symlink('app/x', '../../app/y')]],
  ['a link that climbs out behind an absolute start', [symlink('x', '/../etc')]],
  ['a hard link to nothing', [hardlink('x', 'missing')]],
  ['a hard link to a directory', [dir('d'), hardlink('x', 'd')]],
  ['a link moved up by a hard link', [dir('a/b'), symlink('a/b/x', '../../ok'), hardlink('x', 'a/b/x')]],
  ['a file below a file', [file('x'), file('x/y')]],
  ['a path through links in a circle', [symlink('a', 'b'), symlink('b', 'a'), file('a/x')]],
])('%s is refused', (_, entries) => {
  expect(() => merged(entries)).toThrow(expect.objectContaining({ name: 'PortFailure', kind: 'rejected', code: 'ImageContentInvalid' }));
});

const below = (count: number, folder: string): LayerEntry[] => Array.from({ length: count }, (_, index) => file(`${folder}/${index}/x`));
test.each<[string, LayerEntry[]]>([
  ['directories that nobody names', below(600, 'd/'.repeat(150)).map((entry, index) => ({ ...entry, path: `${index}/${entry.path}` }))],
  [
    'links to links to links',
    [
      dir('d'),
      dir('s30'),
      ...Array.from({ length: 30 }, (_, n) => symlink(`s${n}`, `${'d/../'.repeat(800)}s${n + 1}`)),
      ...below(300, 's0'),
    ],
  ],
])('an image that asks for too much work is refused: %s', (_, entries) => {
  expect(() => merged(entries)).toThrow(expect.objectContaining({ kind: 'rejected', code: 'ImageTooLarge' }));
});

test('a place that links make deeper than any path may be is refused', () => {
  const down = (from: string, at: string): LayerEntry[] => [dir(`${from}/${'d/'.repeat(90)}`), symlink(at, `${from}/${'d/'.repeat(90)}`)];
  expect(() => merged([...down('a', 's1'), ...down('s1', 's2'), ...down('s2', 's3')])).toThrow(/too deep/);
});

test('a link to the outside cannot be written through', () => {
  expect(merged([symlink('etc', '/'), file('etc/passwd', '1')])).toEqual(['etc -> /', 'passwd = L0/1']);
});

test('the working directory is made where the image has none', () => {
  const root = mergeLayers([{ folder: 'L0', entries: [file('app/x')] }], 10);
  makeDirectories(root, '/srv/www/');
  expect(listing(root)).toEqual(['app/x = L0/0', 'srv/www/']);
  expect(() => makeDirectories(root, '/app/x')).toThrow(/not a directory/);
  expect(() => makeDirectories(root, `/${'d/'.repeat(5000)}`)).toThrow(/not a directory/);
});
