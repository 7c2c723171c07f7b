import { describe, expect, test } from 'vitest';
import { FetchError, ResponseError } from '#kit/api/errors.ts';
import { describeError, errorSentence } from './describe-error.ts';

const problem = {
  status: 409,
  title: 'Team has applications and can not be deleted',
  traceId: 'abc',
  errors: [{ code: 'TeamExistingApplications' }],
};

describe('describeError', () => {
  test('a problem: status and title, trace id, messages by code', () => {
    expect(describeError(new ResponseError(409, problem))).toMatchObject({
      heading: '409 - Team has applications and can not be deleted',
      traceId: 'abc',
      items: ['Team has applications and can not be deleted'],
      full: problem,
    });
  });
  test('what the list says is not said again by the detail', () => {
    const detail = 'Team has applications and can not be deleted';
    expect(describeError(new ResponseError(409, { ...problem, title: 'Conflict', detail })).detail).toBeUndefined();
    expect(describeError(new ResponseError(409, { ...problem, title: 'Conflict', detail: 'Something else' })).detail).toBe(
      'Something else',
    );
  });
  test('a code that nobody knows is an unknown error', () => {
    const errors = [{ code: 'SomethingNew' }, { code: 'KebabCase', context: { label: 'App name' } }];
    expect(describeError(new ResponseError(400, { ...problem, errors })).items).toEqual([
      'Unknown error',
      'App name can only contain lowercase letters, numbers, and dashes',
    ]);
  });
  test('without codes there is no list', () => {
    expect(describeError(new ResponseError(400, { ...problem, errors: [] })).items).toEqual([]);
  });
  test('a detail-error: its name is the heading, its detail is Markdown', () => {
    const body = { status: 400, title: '', name: 'Build failed', detail: '**npm ci** failed', errors: [] };
    expect(describeError(new ResponseError(400, body))).toMatchObject({ heading: 'Build failed', detail: '**npm ci** failed' });
    expect(describeError(new ResponseError(400, { ...body, name: '', detail: '' }))).toMatchObject({
      heading: 'Unknown error',
      detail: 'Unknown error',
    });
  });
  test('an answer that is no error object, no answer, an error, anything', () => {
    const answer = { url: 'https://proxy.test/api', type: 'text/html' };
    expect(describeError(new ResponseError(502, '<html>', answer))).toMatchObject({
      heading: '502 Network Error',
      full: { status: 502, ...answer, body: '<html>' },
    });
    expect(describeError(new FetchError(new TypeError('x'))).heading).toBe('Network Error');
    expect(describeError(new FetchError(new TypeError('x'), 0)).heading).toBe('0 Network Error');
    expect(describeError(new Error('Broken')).heading).toBe('Broken');
    expect(describeError('what').heading).toBe('Unknown Error');
    expect(describeError(undefined).heading).toBe('Unknown Error');
    expect(errorSentence(undefined)).toBe('An error occurred while performing the requested action.');
  });
});
