/** A grid counts as passed at a commit only if all of it passed there. */
import { expect, test } from 'vitest';
import { longTests } from './long-tags.ts';
import { none } from './test-count.ts';
import { isGrid, passedAfter, rotate } from './rotation.ts';
import passed from './passed-grids.json' with { type: 'json' };

const [red, green] = ['packages/a/src/red.test.ts', 'packages/a/src/green.test.ts'];
const after = (...failures: readonly string[]) =>
  passedAfter(
    { [red]: 'old', [green]: 'old' },
    { whole: [red, green], counts: [{ ...none, failed: failures.length, failures }], commit: 'new' },
  );

test('a grid that failed keeps its commit, and others move on', () => {
  expect(after()).toEqual({ [red]: 'new', [green]: 'new' });
  expect(after(`${red}: is red: expected 1`)).toEqual({ [red]: 'old', [green]: 'new' });
  expect(after(red)).toEqual({ [red]: 'old', [green]: 'new' });
  expect(after('vitest left no report')).toEqual({ [red]: 'old', [green]: 'old' });
});

test('only files that are grids are remembered, and a grid that is not is tried as a whole', () => {
  const grids = longTests()
    .map(({ file }) => file)
    .filter(isGrid);
  expect(grids).toEqual(expect.arrayContaining(Object.keys(passed)));
  const unknown = grids.filter((file) => !(file in passed));
  expect(rotate(unknown).whole).toEqual(unknown);
});
