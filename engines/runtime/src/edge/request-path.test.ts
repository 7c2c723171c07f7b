import { expect, test } from 'vitest';
import { pathInside } from './request-path.ts';

const rules = (basePath: string, stripBasePath = false, excludePathPrefixes: readonly string[] = []) => ({
  basePath,
  stripBasePath,
  excludePathPrefixes,
});

test.each([
  ['/a?b=1', rules(''), '/a?b=1'],
  ['/a', rules('/'), '/a'],
  ['/shop', rules('/shop'), '/shop'],
  ['/shop?x', rules('/shop', true), '/?x'],
  ['/shop/', rules('/shop/', true), '/'],
  ['/shop/a?b', rules('/shop', true), '/a?b'],
  ['/shopping', rules('/shop'), undefined],
  ['/', rules('/shop'), undefined],
  ['http://evil/shop', rules(''), undefined],
  ['*', rules(''), undefined],
])('%s', (url, route, expected) => {
  expect(pathInside(url, route)).toBe(expected);
});

test.each([
  '/admin',
  '/admin/',
  '/admin/x?y',
  '/%61dmin',
  '//admin',
  '/x/../admin',
  '/./admin',
  '/admin%2fx',
  '/\\admin',
  '/admin;x',
  '/x;y/..;/admin;z/a',
  '/admin#x',
  '/ADMIN/x',
  '//host/admin',
  '/\\host\\admin/x',
  '/shop/admin',
  '/%',
])('%s is excluded', (url) => {
  expect(pathInside(url, rules('', false, ['/admin', '/shop/admin']))).toBeUndefined();
});

test.each([
  ['/caf%C3%A9/x', '/caf%C3%A9'],
  ['/caf%c3%a9', '/café'],
  ['/a%20b', '/a%20b/'],
  ['/a b'.replace(' ', '%20'), '/a%20B'],
  ['/a/b', '/a//b'],
  ['/admin', '/x/../admin'],
  ['/50%', '/50%'],
])('%s is excluded by %s, however that is written', (url, prefix) => {
  expect(pathInside(url, rules('', false, [prefix]))).toBeUndefined();
});

test.each(['/shop/../admin', '/shop/%2e%2e/admin', '/shop/..%2fadmin', '/shop/..\\admin', '/shop/..;/admin', '/shop/%'])(
  '%s leads out of the base path',
  (url) => {
    expect(pathInside(url, rules('/shop', true))).toBeUndefined();
    expect(pathInside(url, rules('/shop'))).toBeUndefined();
  },
);

test('what only looks alike is not excluded; prefixes may count from the base path', () => {
  expect(pathInside('/administrator', rules('', false, ['/admin']))).toBe('/administrator');
  expect(pathInside('/shop/admin', rules('/shop', true, ['/admin']))).toBeUndefined();
  expect(pathInside('/shop/a%20b', rules('/shop', true, ['/admin']))).toBe('/a%20b');
});
