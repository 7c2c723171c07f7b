/**
 * Counts what makes the compiler believe instead of check: casts (`as`, but for `as const`) and `!`. The linter counts them, by the syntax
 * tree. Fails where a package has more than three casts in a thousand lines, or more `!` than it had.
 */
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { packages } from './workspaces.ts';

const root = resolve(import.meta.dirname, '..');
const castsPerThousandLines = 3;
/** `!` by package, otherwise none: none may be added. */
const nonNullAtMost: Readonly<Record<string, number>> = { 'engines/runtime': 34, 'packages/server': 1 };

/** The product's own source: what tests it may say what it expects. */
export const isProduct = (file: string): boolean => !/\.(test|suite|fixture|trial|holder)\b|-fixture\.ts$|(^|\/)testing\//.test(file);

interface Report {
  readonly diagnostics: readonly {
    readonly code: string;
    readonly filename: string;
    readonly labels: readonly { span: { line: number } }[];
  }[];
}
const rules = { casts: 'typescript(consistent-type-assertions)', nonNull: 'typescript(no-non-null-assertion)' };

export interface Casts {
  /** `file:line`. */
  readonly casts: readonly string[];
  readonly nonNull: readonly string[];
  readonly lines: number;
}

/** Counts the casts, the non-null assertions and the lines of the product's TypeScript in a folder. */
export const countCasts = (folder: string): Casts => {
  const lint = spawnSync(
    join(root, 'node_modules/.bin/oxlint'),
    ['--config', join(root, 'scripts/casts.oxlintrc.json'), '--format', 'json', '--no-ignore', '.'],
    { cwd: folder, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  );
  const { diagnostics } = JSON.parse(lint.stdout) as Report;
  const found = diagnostics.filter(({ filename }) => isProduct(filename));
  const places = (of: Report['diagnostics']) => of.map(({ filename, labels }) => `${filename}:${labels[0]?.span.line ?? 1}`).sort();
  const files = globSync('**/*.{ts,tsx}', { cwd: folder }).filter(isProduct);
  return {
    casts: places(found.filter(({ code }) => code === rules.casts)),
    nonNull: places(found.filter(({ code }) => code === rules.nonNull)),
    lines: files.reduce((sum, file) => sum + readFileSync(join(folder, file), 'utf8').split('\n').length - 1, 0),
  };
};

/** Returns the problems of a package, or an empty list if it has none. */
export const castProblems = (name: string, { casts, nonNull, lines }: Casts, nonNullAllowed = nonNullAtMost[name] ?? 0): string[] => {
  const allowed = Math.floor((lines * castsPerThousandLines) / 1000);
  return [
    ...(casts.length > allowed
      ? [`${name}: ${casts.length} casts in ${lines} lines, and ${allowed} are allowed:\n  ${casts.join('\n  ')}`]
      : []),
    ...(nonNull.length > nonNullAllowed
      ? [`${name}: ${nonNull.length} non-null assertions, and ${nonNullAllowed} are allowed:\n  ${nonNull.join('\n  ')}`]
      : []),
  ];
};

if (import.meta.main) {
  for (const name of packages) {
    const counted = countCasts(join(root, name, 'src'));
    const perThousand = ((counted.casts.length / counted.lines) * 1000).toFixed(2);
    process.stdout.write(`${name}: ${counted.casts.length} casts, ${perThousand} in a thousand lines; ${counted.nonNull.length} times !\n`);
    for (const problem of castProblems(name, counted)) {
      process.stderr.write(`${problem}\n`);
      process.exitCode = 1;
    }
  }
}
