import { newServiceSpec } from '@slipway/contract/service-spec.ts';
import { expect, test } from 'vitest';
import { fieldDiff } from './field-diff.ts';

const changed = (before: unknown, after: unknown) =>
  fieldDiff(before, after)
    .filter(({ kind }) => kind !== 'same')
    .map(({ label, kind, before: from, after: to }) => [label, kind, from, to]);

test('fields are named as on the settings screen, variables by their names wherever they stand', () => {
  const spec = newServiceSpec('localhost/berth/berth');
  const before = {
    spec: {
      ...spec,
      template: {
        ...spec.template,
        envVars: [
          { name: 'A', source: 'STATIC', value: 'A' },
          { name: 'B', value: '1' },
        ],
      },
    },
  };
  const after = {
    spec: {
      ...spec,
      resources: { ...spec.resources, memoryMegabytes: 512 },
      template: {
        ...spec.template,
        envVars: [
          { name: 'B', value: '2' },
          { name: 'A', source: 'STATIC', value: 'A' },
        ],
      },
    },
  };
  expect(changed(before, after)).toEqual([
    ['Memory', 'changed', '256', '512'],
    ['B.value', 'changed', '1', '2'],
  ]);
});

test('what came and what went is told apart from what is empty', () => {
  expect(changed({ a: '', b: [1, 2], gone: null }, { a: 'x', b: [], now: { deep: true } })).toEqual([
    ['a', 'changed', '', 'x'],
    ['b', 'changed', '[1,2]', '[]'],
    ['gone', 'removed', 'null', undefined],
    ['now.deep', 'added', undefined, 'true'],
  ]);
});

test('one picture alone changes nothing; none has no fields', () => {
  expect(fieldDiff(null, { group: 'db', keys: ['A'] })).toEqual([
    { path: 'group', label: 'group', kind: 'same', before: undefined, after: 'db' },
    { path: 'keys', label: 'keys', kind: 'same', before: undefined, after: '["A"]' },
  ]);
  expect(fieldDiff(null, null)).toEqual([]);
  expect(fieldDiff(undefined, 'plain')).toEqual([{ path: '', label: 'Value', kind: 'same', before: undefined, after: 'plain' }]);
});
