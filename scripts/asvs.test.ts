/**
 * docs/security-asvs.md says of every requirement of levels 1 and 2, once, whether it holds; what it calls true names a file. And
 * docs/security.md lists every test that attacks.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';

const docs = resolve(import.meta.dirname, '../docs');
const document = readFileSync(resolve(docs, 'security-asvs.md'), 'utf8');

/** Number → level, as in the standard. */
const standard = new Map(
  readFileSync(resolve(import.meta.dirname, 'asvs-5.0.0.txt'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .flatMap((line) => {
      const [section = '', ...requirements] = line.split(' ');
      return requirements.map((entry): [string, string] => [`${section}.${entry.split(':')[0]}`, entry.split(':')[1] ?? '']);
    }),
);

const STATES = ['true', 'not applicable', 'open'];

interface Line {
  readonly number: string;
  readonly level: string;
  readonly state: string;
  readonly note: string;
}

const linesOf = (text: string): readonly Line[] =>
  [...text.matchAll(/^\| (\d+\.\d+\.\d+) \| (\S*) \| [^|]+ \| ([^|]*) \| (.*) \|$/gm)].map(
    ([, number = '', level = '', state = '', note = '']) => ({ number, level, state, note }),
  );

/** Links, and files that another change brings. */
const filesOf = (note: string): readonly string[] => [...note.matchAll(/\]\((?!https?:)([^)#\s]+)/g)].map(([, path = '']) => path);
const namesFile = (note: string): boolean => filesOf(note).length > 0 || note.includes('<!-- check ');

const faultOf = ({ level, note, number, state }: Line): string | undefined => {
  if (!standard.has(number)) return `${number} is no requirement of level 1 or 2`;
  if (standard.get(number) !== level) return `${number} is of level ${standard.get(number)}`;
  if (!STATES.includes(state)) return `${number}: "${state}" is none of the three words`;
  if (note.trim() === '') return `${number} says nothing`;
  if (state === 'true' && !namesFile(note)) return `${number} is called true, and names no file`;
  const lost = filesOf(note).find((path) => !existsSync(resolve(docs, path)));
  return lost === undefined ? undefined : `${number} names ${lost}, which does not exist`;
};

/** The table at the top: state → level 1, level 2, together. */
const wrongCounts = (text: string, lines: readonly Line[]): readonly string[] =>
  STATES.filter((state) => {
    const of = (level: string): number => lines.filter((line) => line.state === state && line.level === level).length;
    return !text.includes(`| ${state} | ${of('1')} | ${of('2')} | ${of('1') + of('2')} |`);
  }).map((state) => `the count of "${state}" is wrong`);

const faultsOf = (text: string): readonly string[] => {
  const lines = linesOf(text);
  const times = Map.groupBy(lines, ({ number }) => number);
  return [
    ...[...standard.keys()].filter((number) => !times.has(number)).map((number) => `${number} is missing`),
    ...[...times].filter(([, found]) => found.length > 1).map(([number]) => `${number} is there twice`),
    ...lines.flatMap((line) => faultOf(line) ?? []),
    ...wrongCounts(text, lines),
  ];
};

test('the standard has 70 requirements of level 1 and 183 of level 2', () => {
  const levels = [...standard.values()];
  expect([levels.filter((level) => level === '1').length, levels.filter((level) => level === '2').length]).toEqual([70, 183]);
});

test('every requirement is judged once, and what is true can be looked at', () => {
  expect(faultsOf(document)).toEqual([]);
});

test.each([
  ['is missing', (text: string) => text.replace(/^\| 1\.2\.4 .*\n/m, '')],
  ['is there twice', (text: string) => text.replace(/^\| 1\.2\.4 .*\n/m, '$&$&')],
  ['is no requirement', (text: string) => text.replace('| 1.2.4 |', '| 1.2.44 |')],
  ['is of level 1', (text: string) => text.replace('| 1.2.4 | 1 |', '| 1.2.4 | 2 |')],
  ['none of the three words', (text: string) => text.replace(/^(\| 1\.2\.4 .*)\| true \|/m, '$1| mostly |')],
  ['names no file', (text: string) => text.replace(/^(\| 1\.2\.4 .*\| true \|).*$/m, '$1 Trust us |')],
  ['which does not exist', (text: string) => text.replace(/^(\| 1\.2\.4 .*\| true \|).*$/m, '$1 [a](../nowhere.ts) |')],
  ['count of "open" is wrong', (text: string) => text.replace(/^(\| 1\.2\.4 .*)\| true \|/m, '$1| open |')],
])('a line that %s would be seen', (fault, change) => {
  expect(change(document)).not.toBe(document);
  expect(faultsOf(change(document)).join('; ')).toContain(fault);
});

test('the threat model lists every attack', () => {
  const listed = readFileSync(resolve(docs, 'security.md'), 'utf8');
  const attacks = readdirSync(resolve(docs, '../packages/server/src/testing/attacks')).filter((name) => name.endsWith('.test.ts'));
  expect(attacks.length).toBeGreaterThan(0);
  expect(attacks.filter((name) => !listed.includes(name))).toEqual([]);
});
