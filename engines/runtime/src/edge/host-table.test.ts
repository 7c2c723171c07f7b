/** Routing by host name: a service's own names, shared domains, and unknown names. */
import { expect, test } from 'vitest';
import type { EdgeService } from './edge-service.ts';
import { HostTable } from './host-table.ts';

const service = (name: string): EdgeService => ({ name }) as unknown as EdgeService;
const [shop, admin, root] = [service('shop'), service('admin'), service('root')];

test('the longest base path decides, part by part', () => {
  const table = new HostTable();
  table.claim('a.example', '/shop', shop);
  table.claim('a.example', '/', root);
  table.claim('a.example', '/shop/admin/', admin);
  const found = (url: string, hostname = 'a.example') => table.find({ hostname, url });
  expect(found('/shop')).toBe(shop);
  expect(found('/shop?x=/shop/admin')).toBe(shop);
  expect(found('/shop/adminer')).toBe(shop);
  expect(found('/shop/admin/x')).toBe(admin);
  expect(found('/shopping')).toBe(root);
  expect(found('/Shop')).toBe(root);
  expect(found('/', 'b.example')).toBeUndefined();
  table.disclaim('a.example', root);
  expect(found('/shopping')).toBe('noPath');
  table.disclaim('a.example', shop);
  table.disclaim('a.example', admin);
  expect(found('/shop')).toBeUndefined();
});

test("a domain takes over neither a service's own name nor an address that is in use", () => {
  const table = new HostTable();
  table.setOwn('shop.localhost', shop);
  table.claim('shop.localhost', '/', admin);
  expect(table.find({ hostname: 'shop.localhost', url: '/' })).toBe(shop);
  table.claim('a.example', '/x', shop);
  table.claim('a.example', '/x/', admin);
  expect(table.find({ hostname: 'a.example', url: '/x' })).toBe(shop);
  table.disclaim('a.example', shop);
  expect(table.find({ hostname: 'a.example', url: '/x' })).toBe(admin);
});
