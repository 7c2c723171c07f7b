import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AppName, MacId, RepositoryName, ServiceName, TeamCode, environmentOf, reservedNames } from './fields.ts';
import { fieldErrors } from './issues.ts';
import { serviceNameRule } from '../quickstart.ts';

const codesOf = (schema: typeof AppName, value: unknown): string[] => {
  const result = schema.safeParse(value, { reportInput: true });
  return result.success ? [] : fieldErrors(result.error).map(({ code }) => code);
};

describe('names', () => {
  test.each([
    ['', ['Required']],
    [undefined, ['Required']],
    ['ab', ['MinimumLength']],
    ['Berth', ['KebabCase']],
    ['berth_planner', ['KebabCase']],
    ['1berth', ['KebabCase']],
    ['-berth', ['KebabCase']],
    ['berth-', ['KebabCase']],
    ['berth--planner', ['KebabCase']],
    ['a'.repeat(41), ['ExceedsMaximumLength']],
    ['settings', ['InvalidName']],
    ['library', ['InvalidName']],
    ['berth-planner', []],
    [' berth-planner ', []],
    ['a'.repeat(40), []],
  ])('app %j: %j', (value, codes) => expect(codesOf(AppName, value)).toEqual(codes));

  test('every reserved word is refused as an app, a team and a service', () => {
    for (const word of reservedNames)
      for (const schema of [AppName, TeamCode, ServiceName]) expect(codesOf(schema, word)).toContain('InvalidName');
  });

  test('what is accepted is a DNS label and needs no encoding in a URL', () => {
    const text = fc.string({ unit: fc.constantFrom(...'abz019-_A /.'), maxLength: 45 });
    fc.assert(
      fc.property(text, (value) => {
        const result = AppName.safeParse(value);
        if (!result.success) return;
        expect(result.data).toMatch(/^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/);
        expect(encodeURIComponent(result.data)).toBe(result.data);
      }),
    );
  });

  test.each([
    ['berth', 'berth', true],
    ['berth', 'berth-api', true],
    ['berth', 'berthapi', 'ServiceNameMustStartWithApplicationName'],
    ['berth', 'crane-api', 'ServiceNameMustStartWithApplicationName'],
  ])('app %s, service %s: %s', (app, service, verdict) => expect(serviceNameRule(app, service)).toBe(verdict));

  test.each([['https://github.com/a/b'], ['b.git'], ['a/b']])('a repository is only a name, not %s', (value) => {
    expect(codesOf(RepositoryName, value)).toEqual(['RepositoryNameOnly']);
  });

  test('a macId has a shape', () => {
    expect(codesOf(MacId, 'MAC-10017')).toEqual([]);
    expect(codesOf(MacId, 'MAC 1')).toEqual(['DoesNotMatchPattern']);
  });
});

test.each([
  ['dev', 'development'],
  ['NONPROD', 'development'],
  ['non-production', 'development'],
  ['prod', 'production'],
  ['PROD', 'production'],
  ['staging', undefined],
])('environment %s is %s', (text, environment) => expect(environmentOf(text)).toBe(environment));
