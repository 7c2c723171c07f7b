import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { asSettings, changesOf, draftOf, envPath, envRowsOf, putBack, rebased, settingsOf, valueAt, withValue } from './draft.ts';
import { settingsWith, variable } from './settings.fixture.ts';

const memory = 'spec.resources.memoryMegabytes';
const cpu = 'spec.resources.cpuMillicores';

test('a value at a path: what the path does not touch stays the same object', () => {
  const base = draftOf(settingsWith({ [envPath]: [variable('A', '1'), variable('B', '2')] }));
  const next = withValue(base, `${envPath}.1.value`, '3');
  expect(valueAt(next, `${envPath}.1.value`)).toBe('3');
  expect(next.spec.resources).toBe(base.spec.resources);
  expect(envRowsOf(next)[0]).toBe(envRowsOf(base)[0]);
  expect(valueAt(base, `${envPath}.1.value`)).toBe('2');
  expect(valueAt(base, 'spec.nothing.there')).toBeUndefined();
});

test('settings go through a draft unchanged, and rows’ keys are not sent', () => {
  const base = settingsWith({ [envPath]: [variable('A', '1')] });
  const draft = draftOf(base);
  expect(envRowsOf(draft)[0]?.rowKey).toBeTruthy();
  expect(changesOf(base, draft)).toEqual([]);
  expect(settingsOf(draft)).toEqual(base);
});

test('an emptied number is a change', () => {
  const base = settingsWith();
  expect(changesOf(base, withValue(draftOf(base), memory, null))).toMatchObject([{ path: memory, before: 256, after: null }]);
});

describe('putting back', () => {
  const base = settingsWith({ [envPath]: [variable('A', '1'), variable('B', '2')] });
  test('one change, and nothing else', () => {
    const edited = withValue(withValue(draftOf(base), memory, 512), cpu, 500);
    expect(changesOf(base, putBack(base, edited, memory)).map(({ path }) => path)).toEqual([cpu]);
  });
  test('a removed variable comes back, a new one goes, a changed one is as it was', () => {
    const edited = withValue(draftOf(base), envPath, [variable('A', 'other'), variable('C', '3')]);
    const paths = changesOf(base, edited).map(({ path }) => path);
    expect(paths).toEqual([`${envPath}.A`, `${envPath}.B`, `${envPath}.C`]);
    const result = paths.reduce((draft, path) => putBack(base, draft, path), edited);
    expect(changesOf(base, result)).toEqual([]);
  });
  test('whatever was changed, in whatever order', () => {
    const values = fc.dictionary(fc.constantFrom(memory, cpu), fc.integer({ min: 64, max: 999 }));
    const rows = fc.uniqueArray(fc.tuple(fc.constantFrom('A', 'B', 'C', 'D'), fc.string()), { selector: ([name]) => name });
    fc.assert(
      fc.property(values, rows, fc.infiniteStream(fc.nat()), (numbers, variables, picks) => {
        const edited = draftOf(settingsWith({ ...numbers, [envPath]: variables.map(([name, value]) => variable(name, value)) }));
        let draft = edited;
        for (let left = changesOf(base, draft); left.length > 0; left = changesOf(base, draft)) {
          const change = left[(picks.next().value ?? 0) % left.length];
          draft = putBack(base, draft, change?.path ?? '');
          expect(changesOf(base, draft)).toHaveLength(left.length - 1);
        }
      }),
    );
  });
});

test('one’s own changes are kept upon what others changed', () => {
  const base = settingsWith({ [envPath]: [variable('A', '1')] });
  const mine = withValue(withValue(draftOf(base), memory, 512), envPath, [variable('A', 'mine'), variable('NEW', 'x')]);
  const theirs = settingsWith({ [cpu]: 900, [envPath]: [variable('A', 'theirs'), variable('B', '2')] });
  const result = rebased(base, mine, theirs);
  expect(asSettings(result).spec.resources).toEqual({ cpuMillicores: 900, memoryMegabytes: 512 });
  expect(envRowsOf(result).map(({ name, value }) => [name, value])).toEqual([
    ['A', 'mine'],
    ['B', '2'],
    ['NEW', 'x'],
  ]);
});
