import { expect, test } from 'vitest';
import { matchEntry, matchGroups, type Entry, type EntryGroup } from './match.ts';

const found = (label: string, query: string, words = ''): string[] | undefined =>
  matchEntry({ label, words }, query)?.found.map(([from, to]) => label.slice(from, to));

test.each([
  ['LOG_LEVEL', 'log', ['LOG']],
  ['terminal-logbook', 'log', ['log']],
  ['Logs and metrics', 'met log', ['Log', 'met']],
  ['aaa', 'aa a', ['aa']],
])('in %s the text %s finds %j', (label, query, expected) => expect(found(label, query)).toEqual(expected));

test('a word that occurs nowhere leaves the entry out', () => expect(found('berth-planner', 'berth crane')).toBeUndefined());

test('the start of a word is marked before an earlier piece of another', () =>
  expect(matchEntry({ label: 'catalog log' }, 'log')?.found).toEqual([[8, 11]]));

test('a hidden word finds an entry and marks nothing', () => expect(found('berth-planner', 'quay', 'Quay planning')).toEqual([]));

const entry = (label: string, href?: string): Entry => ({ key: label, label, icon: null, ...(href ? { href } : {}) });
const groups: EntryGroup[] = [
  { label: 'Here', entries: [entry('Activity logs', '/a'), entry('Logs', '/l')] },
  { label: 'Apps', entries: [entry('log', '/app/log'), entry('Logs again', '/l')] },
  { label: 'Actions', isActions: true, entries: [entry('Log out'), entry('New app')] },
];
const labels = (query: string) => matchGroups(groups, query).map(({ label, items }) => [label, ...items.map((item) => item.label)]);

test('the group with the best match stands first, and an address stands once', () =>
  expect(labels('log')).toEqual([
    ['Apps', 'log'],
    ['Here', 'Logs', 'Activity logs'],
    ['Actions', 'Log out'],
  ]));

test('without a text everything stands in its order', () =>
  expect(labels(' ').map(([label]) => label)).toEqual(['Here', 'Apps', 'Actions']));

test.each([
  ['>', [['Actions', 'Log out', 'New app']]],
  ['> new', [['Actions', 'New app']]],
  ['>zzz', []],
])('%s shows actions alone', (query, expected) => expect(labels(query)).toEqual(expected));
