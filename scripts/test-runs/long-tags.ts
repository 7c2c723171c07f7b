/**
 * Finds the test files that `npm test` leaves to `npm run test:long`, so that it answers in some ten minutes. The first line of such a file
 * says why, for example `// @long (shared process): fills tables with many rows`. What it tries is rare, or other tests meet it on the way.
 */
import { closeSync, globSync, openSync, readSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
export const testFiles = ['{packages,engines}/*/{src,build}/**/*.test.{ts,tsx}', '{scripts,bench}/**/*.test.ts', 'e2e/tests/**/*.spec.ts'];
const LONGEST_TAG_BYTES = 200;

interface LongTag {
  /** True if the file may share its process with others: it neither kills programs nor changes its process. The default is one process per file. */
  readonly isShared: boolean;
  /** True if `npm test` runs the file, too, with a share of what it tries. */
  readonly isAlsoShort: boolean;
  readonly reason: string;
}
interface LongTest extends LongTag {
  /** Relative to the repository. */
  readonly file: string;
}

const flags = ['shared process', 'also short'];

/** Returns the tag of a line, or undefined if it has none. Throws if the tag has an unknown flag or no reason. */
export const readTag = (line: string): LongTag | undefined => {
  if (!line.startsWith('// @long')) return undefined;
  const [, listed, reason] = /^\/\/ @long(?: \(([^)]*)\))?: (\S.*)$/.exec(line) ?? [];
  const found = listed?.split(', ') ?? [];
  if (reason === undefined || found.some((flag) => !flags.includes(flag))) throw new Error(`“${line}” is no tag of a long test`);
  return { isShared: found.includes('shared process'), isAlsoShort: found.includes('also short'), reason };
};

const firstLine = (file: string): string => {
  const bytes = Buffer.alloc(LONGEST_TAG_BYTES);
  const handle = openSync(join(root, file), 'r');
  try {
    return bytes.toString('utf8', 0, readSync(handle, bytes)).split('\n', 1)[0] ?? '';
  } finally {
    closeSync(handle);
  }
};

export const longTests = (): LongTest[] =>
  globSync(testFiles, { cwd: root, exclude: (name) => name === 'node_modules' || name === 'dist' })
    .toSorted()
    .flatMap((file) => {
      const tag = readTag(firstLine(file));
      return tag ? [{ file, ...tag }] : [];
    });

export const isJourney = ({ file }: LongTest): boolean => file.startsWith('e2e/');

/** For Playwright's `--grep`: journeys in the browser whose file is tagged, and single tests that have the tag `@long`. */
export const longJourneys = (): string => {
  const names = longTests()
    .filter(isJourney)
    .map(({ file }) => /([\w-]+)\.spec\.ts$/.exec(file)?.[1]);
  return `@long|\\b(${names.join('|')})\\.spec\\.ts`;
};
