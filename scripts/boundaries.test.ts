/** Boundary tools fail open: each rule of .dependency-cruiser.mjs gets a planted violation, and must see it. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import config from '../.dependency-cruiser.mjs';

const root = resolve(import.meta.dirname, '..');
const server = 'packages/server/src';
/** Rule → the file that breaks it, what it imports, and the file it imports. */
const violations: Readonly<Record<string, readonly [from: string, specifier: string, target?: string]>> = {
  'contract-only-zod': ['packages/contract/src/bad.ts', 'react'],
  'ui-knows-no-domain': ['packages/ui/src/bad.ts', '../../contract/src/x.ts', 'packages/contract/src/x.ts'],
  'console-not-server': ['packages/console/src/kit/bad.ts', '../../../server/src/x.ts', 'packages/server/src/x.ts'],
  'feature-not-feature': ['packages/console/src/features/apps/bad.ts', '../teams/x.ts', 'packages/console/src/features/teams/x.ts'],
  'feature-not-app': ['packages/console/src/features/apps/bad2.ts', '../../app/x.ts', 'packages/console/src/app/x.ts'],
  'entity-not-feature': [
    'packages/console/src/entities/team/bad.ts',
    '../../features/teams/x.ts',
    'packages/console/src/features/teams/x.ts',
  ],
  'entity-by-its-index': ['packages/console/src/entities/team/bad2.ts', '../plan/x.ts', 'packages/console/src/entities/plan/x.ts'],
  'kit-at-the-bottom': ['packages/console/src/kit/bad2.ts', '../entities/plan/index.ts', 'packages/console/src/entities/plan/index.ts'],
  'kit-knows-no-domain': ['packages/console/src/kit/bad3.ts', '../../../contract/src/team.ts', 'packages/contract/src/team.ts'],
  'kernel-below-modules': [`${server}/kernel/bad.ts`, '../modules/teams/index.ts', `${server}/modules/teams/index.ts`],
  'kernel-knows-no-area': [
    `${server}/kernel/bad2.ts`,
    '../../../contract/src/service/service.ts',
    'packages/contract/src/service/service.ts',
  ],
  'connections-in-one-place': [`${server}/modules/teams/bad3.ts`, 'pg'],
  'ports-are-interfaces': ['packages/foundation/src/ports/bad.ts', 'pg'],
  'foundation-at-the-bottom': ['packages/foundation/src/bad.ts', '../../server/src/x.ts', 'packages/server/src/x.ts'],
  'engine-not-platform': ['engines/kafka/src/bad.ts', '../../../packages/server/src/x.ts', 'packages/server/src/x.ts'],
  'engine-not-engine': ['engines/kafka/src/bad2.ts', '../../git/src/x.ts', 'engines/git/src/x.ts'],
  'engine-only-by-adapter': [`${server}/modules/teams/bad4.ts`, '../../../../../engines/kafka/src/x.ts', 'engines/kafka/src/x.ts'],
  'module-not-adapter': [`${server}/modules/teams/bad.ts`, '../../adapters/a/x.ts', `${server}/adapters/a/x.ts`],
  'module-by-its-door': [`${server}/modules/teams/bad2.ts`, '../apps/x.ts', `${server}/modules/apps/x.ts`],
  'adapter-not-module': [`${server}/adapters/a/bad.ts`, '../../modules/teams/index.ts', `${server}/modules/teams/index.ts`],
  'adapter-not-adapter': [`${server}/adapters/a/bad2.ts`, '../b/x.ts', `${server}/adapters/b/x.ts`],
  'agent-stays-small': ['engines/runtime/src/agent.ts', 'pg'],
  'e2e-from-outside': ['e2e/bad.ts', '../packages/server/src/x.ts', 'packages/server/src/x.ts'],
  'no-cycles': ['packages/ui/src/one.ts', './two.ts', 'packages/ui/src/two.ts'],
};

let folder: string;
let found: { name: string; from: string }[];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-boundaries-'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  for (const [, , target] of Object.values(violations)) if (target) write(target, 'export const x = 1;\n');
  write('packages/ui/src/two.ts', "import { y } from './one.ts';\nexport const x = y;\n");
  for (const [from, specifier] of Object.values(violations)) write(from, `import * as x from '${specifier}';\nexport const y = x;\n`);
  const cruise = ['--config', join(root, '.dependency-cruiser.mjs'), '--output-type', 'json', 'packages', 'engines', 'e2e'];
  const { stdout } = spawnSync(join(root, 'node_modules/.bin/depcruise'), cruise, {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  const report = JSON.parse(stdout) as { summary: { violations: { rule: { name: string }; from: string }[] } };
  found = report.summary.violations.map(({ rule, from }) => ({ name: rule.name, from }));
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('every rule has a planted violation', () => {
  expect(Object.keys(violations).sort()).toEqual(config.forbidden.map(({ name }) => name).sort());
});

test.each(Object.entries(violations))('%s is seen', (name, [from]) => {
  expect(found).toContainEqual({ name, from });
});
