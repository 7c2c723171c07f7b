// Text alternatives and computed values of drawn components.
import { expect, test } from 'vitest';
import { initialsOf } from './text/Avatar.tsx';
import { berthWords } from './figures/InstanceDots.tsx';
import { percent } from './css-vars.ts';
import { pagesToShow } from './list/Pagination.tsx';
import { sparkPaths } from './figures/Spark.tsx';
import { deployHistoryLabel } from './figures/DeployHistory.tsx';

test.each([
  ['Ingrid Solheim', 'IS'],
  ['Mei-Ling Tan', 'MT'],
  ['Sofía María Marín', 'SM'],
  ['ci-berth-planner', 'CP'],
  ['åke', 'ÅK'],
  ['  ', ''],
])('initials of "%s" are %s', (name, initials) => {
  expect(initialsOf(name)).toBe(initials);
});

test('berths and tides are read out', () => {
  expect(berthWords(['ready', 'ready', 'ready', 'new', 'starting'])).toBe('3 ready, 1 of the new revision ready, 1 starting');
  expect(berthWords([])).toBe('No instances');
  expect(deployHistoryLabel([{ deploys: 1, failed: 0 }])).toBe('1 deploy in 1 day');
  expect(
    deployHistoryLabel([
      { deploys: 3, failed: 1 },
      { deploys: 0, failed: 0 },
    ]),
  ).toBe('3 deploys in 2 days, 1 failed');
});

test.each([
  [1, 3, [1, 2, 3]],
  [1, 12, [1, 2, 0, 12]],
  [4, 12, [1, 2, 3, 4, 5, 0, 12]],
  [6, 12, [1, 0, 5, 6, 7, 0, 12]],
  [12, 12, [1, 0, 11, 12]],
])('page %d of %d shows %j', (page, count, pages) => {
  expect(pagesToShow(page, count)).toEqual(pages);
});

test('a share stays on its track', () => {
  expect([percent(0.425), percent(2), percent(-1), percent(212, 500), percent(1, 0)]).toEqual([
    '42.50%',
    '100.00%',
    '0.00%',
    '42.40%',
    '0.00%',
  ]);
});

test('a sparkline breaks where nothing was measured', () => {
  const { line, area } = sparkPaths([1, 2, null, 2, 1], 2);
  expect(line.match(/M/g)).toHaveLength(2);
  expect(area.match(/Z/g)).toHaveLength(2);
  expect(sparkPaths([], 1)).toEqual({ line: '', area: '' });
});
