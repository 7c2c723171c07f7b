import { expect, test } from 'vitest';
import { isErrorCode } from './errors.ts';
import { RequiredError, pathOf, queryString, requireInput, statusOf } from './kernel.ts';
import { routes } from '../routes.ts';

const byId = (id: string) => {
  const found = routes.find((route) => route.id === id);
  if (!found) throw new Error(`No route ${id}`);
  return found;
};

test('a path is filled in and encoded', () => {
  expect(pathOf(byId('serviceView'), { app: 'a b', env: 'development', service: 'ü/x' })).toBe(
    '/api/v1/apps/a%20b/development/services/%C3%BC%2Fx',
  );
});

test('a missing parameter is named, and the call never sent', () => {
  expect(() => pathOf(byId('applicationView'), {})).toThrow(RequiredError);
  expect(() => pathOf(byId('applicationView'), { app: '' })).toThrow('Required parameter app was null or undefined');
});

test('fields with a default and optional fields need no value', () => {
  expect(() => requireInput(byId('catalogApplicationView'), {})).not.toThrow();
  expect(() => requireInput(byId('catalogApplicationUpdate'), { body: {} })).toThrow('Required parameter Mac-App-Id was null or undefined');
});

test('a query leaves out what is not there, and repeats lists', () => {
  expect(queryString({ page: 0, query: '', team: ['a', 'b&c'], health: undefined })).toBe('?page=0&team=a&team=b%26c');
  expect(queryString({})).toBe('');
});

test('no two routes share an id, or method and path', () => {
  const ids = routes.map(({ id }) => id);
  const addresses = routes.map(({ method, path }) => `${method} ${path.replace(/\{\w+\}/g, '{}')}`);
  expect(new Set(ids).size).toBe(ids.length);
  expect(new Set(addresses).size).toBe(addresses.length);
});

test.each(routes.map((route) => [route.id, route] as const))('%s is well formed', (id, route) => {
  expect(id).toMatch(/^[a-z][a-zA-Z]+(V1)?$/);
  for (const code of route.codes) expect(isErrorCode(code)).toBe(true);
  expect(new Set(route.codes).size).toBe(route.codes.length);
  if (route.method === 'GET') expect(route.body).toBeUndefined();
  expect(statusOf(route)).toBeGreaterThanOrEqual(200);
  // Access by role in an app or team requires the app or team in the path.
  if (route.access.startsWith('app')) expect(route.path).toContain('{app}');
  if (route.access.startsWith('team')) expect(route.path).toContain('{team}');
});
