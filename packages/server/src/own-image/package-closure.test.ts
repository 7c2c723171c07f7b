/** Checks which packages of a lock file go into the image. */
import { expect, test } from 'vitest';
import { closureOf, type Lock } from './package-closure.ts';

const lock: Lock = {
  'packages/server': { dependencies: { alpha: '1', '@own/engine': '1' }, optionalDependencies: { 'other-system': '1' } },
  'node_modules/@own/engine': { link: true, resolved: 'engines/engine' },
  'engines/engine': { dependencies: { beta: '1' } },
  'engines/engine/node_modules/beta': { dependencies: { alpha: '1' } },
  'node_modules/beta': {},
  'node_modules/alpha': { dependencies: { gamma: '2' }, peerDependencies: { missing: '1' } },
  'node_modules/alpha/node_modules/gamma': {},
  'node_modules/gamma': {},
  'node_modules/tool': {},
};

test('follows links of workspaces, takes the version that Node would take, and no tool', () => {
  expect(closureOf(lock, 'packages/server')).toEqual([
    'engines/engine',
    'engines/engine/node_modules/beta',
    'node_modules/@own/engine',
    'node_modules/alpha',
    'node_modules/alpha/node_modules/gamma',
    'packages/server',
  ]);
});

test('leaves out the given packages, and reports a package that the lock file lacks', () => {
  expect(closureOf(lock, 'packages/server', (path) => path.endsWith('alpha'))).not.toContain('node_modules/alpha');
  expect(() => closureOf({ 'packages/server': { dependencies: { alpha: '1' } } }, 'packages/server')).toThrow('needs alpha');
});
