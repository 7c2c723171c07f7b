import { describe, expect, test } from 'vitest';

import { buildPlan, plainWords } from './build-plan.ts';
import { sourceTree } from './source-tree.ts';

const tree = (files: Record<string, string | object>) =>
  sourceTree(
    Object.entries(files).map(([path, content]) => ({
      path,
      content: Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)),
      isExecutable: false,
    })),
  );
const code = (expected: string) => expect.objectContaining({ name: 'PortFailure', kind: 'rejected', code: expected });
const lock = { 'package-lock.json': '{}' };

test.each<[string, string[] | undefined]>([
  ['node src/main.js', ['node', 'src/main.js']],
  ['  node   --title="My app" \'a b.js\' ', undefined],
  ['node "a b.js" --x=1', ['node', 'a b.js', '--x=1']],
  ['node a.js && node b.js', undefined],
  ['PORT=1 node a.js', ['PORT=1', 'node', 'a.js']],
  ['node $FILE', undefined],
  ['node "unfinished', undefined],
  ['', undefined],
])('the words of %j', (command, words) => {
  expect(plainWords(command)).toEqual(words);
});

describe('the start command', () => {
  test.each<[string, Record<string, string | object>, string[]]>([
    [
      'scripts.start',
      { 'package.json': { scripts: { start: 'node --enable-source-maps dist/x.js -v' } } },
      ['--enable-source-maps', 'dist/x.js', '-v'],
    ],
    ['main', { 'package.json': { main: './lib/app.js' }, 'lib/app.js': '' }, ['lib/app.js']],
    ['server.js before index.js', { 'package.json': {}, 'index.js': '', 'server.js': '' }, ['server.js']],
    ['a source without package.json', { 'index.js': 'syntax error (' }, ['index.js']],
  ])('is found by %s', (_, files, start) => {
    expect(buildPlan(tree(files))).toEqual({ start, startRemark: undefined, install: 'none', hasBuildScript: false });
  });

  test('falls back with a remark when scripts.start needs a shell', () => {
    const plan = buildPlan(tree({ 'package.json': { scripts: { start: 'NODE_ENV=x node a.js' } }, 'server.js': '' }));
    expect(plan.start).toEqual(['server.js']);
    expect(plan.startRemark).toContain('server.js is started instead');
  });

  test.each<[string, Record<string, string | object>]>([
    ['nothing at all', {}],
    ['a main that is not there', { 'package.json': { main: 'missing.js' } }],
    ['a start command of another program', { 'package.json': { scripts: { start: 'next start' } } }],
    ['node without a file', { 'package.json': { scripts: { start: 'node' } } }],
  ])('is missed in %s', (_, files) => {
    expect(() => buildPlan(tree(files))).toThrow(code('BuildNoStartCommand'));
  });
});

describe('what is installed', () => {
  const start = { start: 'node a.js' };
  test.each<[object, 'none' | 'production' | 'all', boolean]>([
    [{ scripts: start }, 'none', false],
    [{ scripts: start, dependencies: {} }, 'none', false],
    [{ scripts: start, devDependencies: { vitest: '1' } }, 'none', false],
    [{ scripts: start, dependencies: { pg: '8' } }, 'production', false],
    [{ scripts: start, optionalDependencies: { fsevents: '2' } }, 'production', false],
    [{ scripts: { ...start, build: 'tsc' }, devDependencies: { typescript: '7' } }, 'all', true],
    [{ scripts: { ...start, build: 'node make.js' } }, 'none', true],
  ])('%j', (manifest, install, hasBuildScript) => {
    expect(buildPlan(tree({ 'package.json': manifest, ...lock }))).toMatchObject({ install, hasBuildScript });
  });

  test('a lock file is demanded where something is installed', () => {
    const manifest = { scripts: start, dependencies: { pg: '8' } };
    expect(() => buildPlan(tree({ 'package.json': manifest, 'yarn.lock': '' }))).toThrow(code('BuildLockfileMissing'));
    expect(buildPlan(tree({ 'package.json': manifest, 'npm-shrinkwrap.json': '{}' })).install).toBe('production');
  });
});

test.each(['{ "scripts": ', '[]', '{"scripts":{"start":5}}'])('package.json holding %s is refused', (text) => {
  expect(() => buildPlan(tree({ 'package.json': text }))).toThrow(code('BuildPackageInvalid'));
});
