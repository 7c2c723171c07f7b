import { expect, test } from 'vitest';
import { pageCountOf, totalLabel } from './list-total.ts';

const page = { totalElements: 1000, totalPages: 40, isTotalAtLeast: true, number: 0, last: false };

test('says where counting stopped', () => {
  expect(totalLabel(page, 'app', 'apps')).toBe('1,000+ apps');
  expect(totalLabel({ ...page, totalElements: 1, isTotalAtLeast: false }, 'app', 'apps')).toBe('1 app');
});

test('leads on beyond what was counted, to the last page', () => {
  expect(pageCountOf(page)).toBe(40);
  expect(pageCountOf({ ...page, number: 39 })).toBe(41);
  expect(pageCountOf({ ...page, number: 60, last: true })).toBe(61);
  expect(pageCountOf({ ...page, isTotalAtLeast: false, number: 39, last: true })).toBe(40);
  expect(pageCountOf(undefined)).toBe(1);
});
