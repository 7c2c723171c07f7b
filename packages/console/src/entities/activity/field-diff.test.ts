import { newServiceSpec } from '@slipway/contract/service/service-spec.ts';
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
          { name: 'B', source: 'STATIC', value: '1' },
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
          { name: 'B', source: 'STATIC', value: '2' },
          { name: 'A', source: 'STATIC', value: 'A' },
        ],
      },
    },
  };
  expect(changed(before, after)).toEqual([
    ['Memory', 'changed', '256 MB', '512 MB'],
    ['B', 'changed', '1', '2'],
  ]);
});

test('what came and what went is distinguished from what is empty', () => {
  expect(changed({ a: '', b: [1, 2], never: null }, { a: 'x', b: [], now: { deep: true } })).toEqual([
    ['a', 'changed', '', 'x'],
    ['b', 'changed', '[1,2]', '[]'],
    ['now.deep', 'added', undefined, 'true'],
  ]);
});

test('changes of settings, as the log keeps them, come and go by their paths', () => {
  const [db, level] = ['spec.template.envVars.DB', 'spec.template.envVars.LOG_LEVEL'];
  const before = { [db]: null, [level]: { source: 'STATIC', value: 'debug' }, 'spec.scaleDownAfterDays': null };
  const after = { [db]: { source: 'SECRET_KEY', secretGroup: 'berth-db', secretKey: 'PW' }, [level]: null, 'spec.scaleDownAfterDays': 7 };
  expect(changed(before, after)).toEqual([
    ['LOG_LEVEL', 'removed', 'debug', undefined],
    ['DB', 'added', undefined, 'key PW of the secret group berth-db'],
    ['Scale down after', 'added', undefined, '7 days'],
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
