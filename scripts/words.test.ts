/** The check of words finds what it is there for, and nothing else. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { findFragments, findRetired, retiredWords } from './words.ts';

const glossary = readFileSync(join(resolve(import.meta.dirname, '..'), 'docs/glossary.md'), 'utf8');
const [verb, phrase] = ['to' + 'ld', 'in ' + 'vain'];

test('the glossary lists them', () => {
  expect(retiredWords(glossary)).toEqual(expect.arrayContaining([verb, phrase]));
  expect(retiredWords(glossary).length).toBeGreaterThan(15);
});

test('they are found as whole words, in any case, with their line', () => {
  const text = `// The edge is ${verb}.\nconst x = 1;\n/** Waited in\n * vain. */\n${verb.toUpperCase()}`;
  expect(findRetired(text, [verb, phrase])).toMatchObject([{ line: 1, word: verb }, { line: 3 }, { line: 5 }]);
});

test.each([`un${verb}`, `${verb}s`, `${verb}_you`, `$${verb}`, `${verb}-tale`, 'amend', 'invain'])('“%s” is another word', (text) => {
  expect(findRetired(text, [verb, phrase, 'men' + 'd'])).toEqual([]);
});

test('a doc comment without a subject is found with its line', () => {
  const [open, close] = ['/' + '**', '*' + '/'];
  const text = `${open} Returns the row. ${close}\n${open} Of the row. ${close}\n${open}\n * What is read. ${close}\n${open} By default, all. ${close}`;
  expect(findFragments(text).map(({ line }) => line)).toEqual([2, 3]);
});
