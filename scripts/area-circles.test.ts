/** Areas do not import each other in circles: the folders of the server's modules, and the folders and files of the contract. */
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '..');
const areaOf = (file: string): string => file.split('/', 1)[0] ?? '';

/** Returns the areas that each area imports. `alias`: how imports name the folder from outside. */
const importsOfAreas = (folder: string, alias: string): Map<string, Set<string>> => {
  const areas = new Map<string, Set<string>>();
  for (const file of globSync('**/*.ts', { cwd: folder, exclude: ['**/*.{test,fixture}.ts', '**/*.suite*.ts'] })) {
    const found = areas.get(areaOf(file)) ?? new Set();
    areas.set(areaOf(file), found);
    for (const [, specifier = ''] of readFileSync(join(folder, file), 'utf8').matchAll(/^(?:import|export)\s[^;]*?from '([^']+\.ts)'/gm)) {
      if (specifier.startsWith(alias)) found.add(areaOf(specifier.slice(alias.length)));
      if (specifier.startsWith('.')) found.add(areaOf(relative(folder, resolve(folder, dirname(file), specifier))));
    }
    found.delete(areaOf(file));
  }
  return areas;
};
const reachable = (areas: ReadonlyMap<string, ReadonlySet<string>>, from: string): Set<string> => {
  const found = new Set(areas.get(from));
  for (const area of found) for (const next of areas.get(area) ?? []) found.add(next);
  return found;
};
/** Returns the imports between areas that are part of a circle. */
const circlesIn = (folder: string, alias: string): string[] => {
  const areas = importsOfAreas(folder, alias);
  return [...areas].flatMap(([from, found]) => [...found].filter((to) => reachable(areas, to).has(from)).map((to) => `${from} → ${to}`));
};

test("the server's modules import each other in no circle", () => {
  expect(circlesIn(join(root, 'packages/server/src/modules'), '#modules/')).toEqual([]);
});

test("the contract's areas import each other in no circle", () => {
  expect(circlesIn(join(root, 'packages/contract/src'), '@slipway/contract/')).toEqual([]);
});

test('a planted circle is seen, directly and over a third area', () => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-areas-'));
  const write = (file: string, specifier: string): void => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), `import {\n  x,\n} from '${specifier}';\nexport { y } from 'zod';\n`);
  };
  write('apps/a.ts', '../teams/index.ts');
  write('teams/deep/b.ts', '#modules/routes/index.ts');
  write('routes/own.ts', './other.ts');
  write('routes/circle.test.ts', '../apps/a.ts');
  expect(circlesIn(folder, '#modules/')).toEqual([]);
  write('routes/c.ts', '../apps/a.ts');
  expect(circlesIn(folder, '#modules/').toSorted()).toEqual(['apps → teams', 'routes → apps', 'teams → routes']);
  rmSync(folder, { recursive: true });
});
