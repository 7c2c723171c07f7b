/** Anything can be thrown: values that are not errors have no code, and their text is the message. */
import { expect, test } from 'vitest';
import { errorCode, errorMessage, hasCode } from './caught.ts';
import { textAt } from './text-at.ts';

const missing = Object.assign(new Error('no such file'), { code: 'ENOENT' });

test.each([
  ['an error with a code', missing, 'ENOENT'],
  ['an error without', new Error('x'), undefined],
  ['a code that is a number', Object.assign(new Error('x'), { code: 7 }), undefined],
  ['a text', 'ENOENT', undefined],
  ['nothing', undefined, undefined],
  ['null', null, undefined],
])('the code of %s', (_what, error, code) => {
  expect(errorCode(error)).toBe(code);
});

test('one of several codes', () => {
  expect(hasCode(missing, 'EEXIST', 'ENOENT')).toBe(true);
  expect(hasCode(missing, 'EEXIST')).toBe(false);
  expect(hasCode(new Error('x'), 'EEXIST')).toBe(false);
});

test('the message', () => {
  expect([missing, 'gone', undefined].map(errorMessage)).toEqual(['no such file', 'gone', 'undefined']);
});

test.each([
  ['a text', { sub: 'ada' }, 'ada'],
  ['a number', { sub: 7 }, undefined],
  ['nothing by that name', {}, undefined],
  ['nothing at all', undefined, undefined],
])('a text at a key of %s', (_what, claims, text) => {
  expect(textAt(claims, 'sub')).toBe(text);
});
