/** Finds what a table of sentences leaves out or names wrongly. */
import { expect, test } from 'vitest';
import { documentOf, faultsOf, readRows, sectionsOf, unaccounted } from './account.ts';
import { readSentences } from './read-sentences.ts';

const specification = `# Title

## 1. Berths

A berth has a name. It has a length.

The berth holds:
- **Name:** a word. Required.

| Path | Screen |
|---|---|
| /berth | List |
`;
const table = `section\tsentence\tstatus\tplaces\ttest\treason
1\tA berth has a name.\tas specified\tberth.ts\tberth.test.ts: has a name\t
1\tIt has a length.\tchanged\t\t\tMeters only.
1\tName: a word.\tas specified\tberth.ts\t\t
1\tRequired.\tmissing\t\t\tNot yet.
1\t/berth · List\tno requirement\t\t\t
`;
const files: Readonly<Record<string, string>> = { 'berth.ts': '', 'berth.test.ts': "test('has a name', …)" };
const lookup = (path: string): string | undefined => files[path];

test('cuts a specification into sentences, points and rows', () => {
  expect(readSentences(specification).map(({ section, quote }) => `${section} ${quote}`)).toEqual([
    '1 A berth has a name.',
    '1 It has a length.',
    '1 Name: a word.',
    '1 Required.',
    '1 /berth · List',
  ]);
});

test('accepts a table that accounts for every sentence', () => {
  const rows = readRows(table);
  expect([...unaccounted(readSentences(specification), rows), ...faultsOf(rows, lookup)]).toEqual([]);
});

test('names a sentence without a row, and a row without a sentence', () => {
  const rows = readRows(table.replace('It has a length.', 'It has a width.'));
  expect(unaccounted(readSentences(specification), rows)).toEqual([
    '§1 "It has a length." has no row',
    '§1 "It has a width." is not in the specification',
  ]);
});

test.each([
  ['berth.ts\tberth.test.ts', 'quay.ts\tberth.test.ts', 'names quay.ts, which does not exist'],
  ['has a name\t', 'has a length\t', 'names a test that does not exist: berth.test.ts: has a length'],
  ['Meters only.', '', 'gives no reason'],
  ['as specified\tberth.ts', 'as specified\t', 'names no place'],
  ['as specified', 'done', '"done" is not a status'],
])('finds a fault: %s → %s', (from, to, fault) => {
  expect(faultsOf(readRows(table.replace(from, to)), lookup)).toEqual(
    [`§1 "A berth has a name." ${fault}`].map((text) => (fault === 'gives no reason' ? '§1 "It has a length." gives no reason' : text)),
  );
});

test('counts the sentences of a section by status', () => {
  expect(documentOf([{ title: 'Berths', rows: readRows(table) }])).toContain('| 1 | 2 | 0 | 1 | 1 | 1 | 1 | 5 |');
});

test('a decided row names a section of the decisions that exists', () => {
  const decisions = sectionsOf('# Decisions\n\n## 1. Names\n\nSee ## 3. Not a heading\n\n## 2. Rights\n');
  const withReason = (reason: string) => readRows(table.replace('changed\t\t\tMeters only.', `decided\t\t\t${reason}`));
  const faults = (reason: string) => faultsOf(withReason(reason), lookup, decisions);
  expect(faults('Meters only (decisions, section 2).')).toEqual([]);
  expect(faults('Meters only (decisions, section 3).')).toEqual([
    '§1 "It has a length." names section 3 of the decisions, which does not exist',
  ]);
  expect(faults('Meters only.')).toEqual(['§1 "It has a length." names no section of the decisions']);
  expect(faultsOf(withReason('Meters only (decisions, section 3).'), lookup)).toEqual([]);
  expect(documentOf([{ title: 'Berths', rows: withReason('x') }])).toContain('| 1 | 2 | 1 | 0 | 1 | 1 | 1 | 5 |');
});
