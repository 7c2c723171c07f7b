import { expect, test } from 'vitest';
import { FetchError, ResponseError } from '#kit/api/errors.ts';
import { atItsRow } from './group-form.ts';

test('an error of an entry goes to the row that it was typed in', () => {
  const errors = [{ field: 'entries.1.value', code: 'SecretValueTooLarge' }, { field: 'name', code: 'Required' }, { code: 'Busy' }];
  const moved = atItsRow(new ResponseError(400, { status: 400, title: 'x', errors }), [2, 5]) as ResponseError;
  expect(moved.status).toBe(400);
  expect(moved.errors.map(({ field }) => field)).toEqual(['entries.5.value', 'name', undefined]);
});

test('any other failure stays what it is', () => {
  const failure = new FetchError(new TypeError('x'));
  expect(atItsRow(failure, [])).toBe(failure);
});
