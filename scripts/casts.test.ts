/** A gate that counts must be seen to count: what it counts, what it passes over, and what it refuses. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { castProblems, countCasts } from './casts.ts';

const root = resolve(import.meta.dirname, '..');
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-casts-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (path: string, text: string) => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
};

describe('casts', () => {
  test('are `as` and angle brackets; not `as const`, `satisfies`, an alias or a comment', () => {
    write(
      'a.ts',
      [
        "import { join as glue } from 'node:path';",
        'export const a = JSON.parse(glue()) as string;',
        'export const b = <string>JSON.parse(glue());',
        "export const c = ['x'] as const;",
        "export const d = 'x' satisfies string; // as string",
        'export const e = a as unknown as number;',
        '',
      ].join('\n'),
    );
    const { casts, lines } = countCasts(folder);
    expect(casts).toEqual(['a.ts:2', 'a.ts:3', 'a.ts:6', 'a.ts:6']);
    expect(lines).toBe(6);
  });

  test('are not counted in tests, fixtures and suites, nor are their lines', () => {
    const text = 'export const a = JSON.parse("1") as string;\n';
    for (const file of ['a.test.ts', 'b/c.fixture.ts', 'd.suite-edge.ts', 'testing/e.ts']) write(file, text);
    expect(countCasts(folder)).toMatchObject({ casts: [], lines: 0 });
  });

  test('may be three in a thousand lines', () => {
    const three = ['a', 'b', 'c'].map((name) => `export const ${name} = JSON.parse('1') as string;\n`);
    write('a.ts', `${'\n'.repeat(997)}${three.join('')}`);
    const counted = countCasts(folder);
    expect(castProblems('any', counted)).toEqual([]);
    expect(castProblems('any', { ...counted, lines: 999 })).toEqual([expect.stringContaining('3 casts in 999 lines, and 2 are allowed')]);
  });

  test('by `!` are refused above what there was', () => {
    write('a.tsx', 'export const a = [1].at(0)!;\nexport const b = !a;\n');
    const counted = countCasts(folder);
    expect(counted.nonNull).toEqual(['a.tsx:1']);
    expect(castProblems('any', counted)).toHaveLength(1);
    expect(castProblems('any', counted, 1)).toEqual([]);
  });
});

describe("a package's internals", () => {
  const refused = (...specifiers: string[]) => {
    write('a.ts', specifiers.map((specifier, index) => `export * as a${index} from '${specifier}';\n`).join(''));
    const lint = spawnSync(
      join(root, 'node_modules/.bin/oxlint'),
      ['--config', join(root, '.oxlintrc.json'), '--format', 'json', '--quiet', '.'],
      { cwd: folder, encoding: 'utf8' },
    );
    const { diagnostics } = JSON.parse(lint.stdout) as { diagnostics: { code: string; labels: { span: { line: number } }[] }[] };
    return diagnostics.filter(({ code }) => code.includes('no-restricted-imports')).map(({ labels }) => (labels[0]?.span.line ?? 0) - 1);
  };

  test('are refused', () => {
    expect(refused('@scope/sdk/internal/executor', 'sdk/dist/index.js', '@scope/sdk/src', 'sdk/build/lib/x')).toEqual([0, 1, 2, 3]);
  });

  test('are neither a public part of one, nor its styles, nor a folder of our own', () => {
    expect(
      refused(
        'zod/mini',
        'uplot/dist/uPlot.min.css',
        '@base-ui/react/dialog',
        'node:fs/promises',
        '#kernel/lib/x.ts',
        '../lib/x.ts',
        'library',
      ),
    ).toEqual([]);
  });
});
