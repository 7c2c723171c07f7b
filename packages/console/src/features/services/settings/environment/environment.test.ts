/** Variables: pasted files, search, counts; file names of volumes; labels for times and addresses. */
import { describe, expect, test } from 'vitest';
import { draftOf, type EnvRow, type MountRow } from '#features/services/settings/draft.ts';
import { countLabel, isPastedFile, matchesSearch, withSource } from './env-rows.ts';
import { checkTimesLabel, peaksOf, serviceAddress } from '#features/services/settings/sections/section-facts.ts';
import { mountNames, moved } from '#features/services/settings/sections/mount-names.ts';
import { pastedVariables } from './pasted-variables.ts';
import { settingsWith, variable } from '#features/services/settings/settings.fixture.ts';

const reference: EnvRow = { name: 'DB', source: 'SECRET_KEY', secretGroup: 'orders', secretKey: 'db-url' };
const rows: EnvRow[] = [variable('A', '1'), variable('B', '2'), reference];
const changesOf = (text: string, mode: 'merge' | 'replace') =>
  pastedVariables(rows, text, mode).variables.map(({ name, change }) => `${name} ${change}`);
const namesOf = (found: readonly EnvRow[]) => found.map(({ name, value, source }) => (source === 'STATIC' ? `${name}=${value}` : name));

describe('pasting', () => {
  test('merge keeps what the file does not name', () => {
    expect(changesOf('A=1\nB=3\nC=4', 'merge')).toEqual(['A SAME', 'B CHANGED', 'C ADDED']);
    expect(namesOf(pastedVariables(rows, 'A=1\nB=3\nC=4', 'merge').rows)).toEqual(['A=1', 'B=3', 'DB', 'C=4']);
  });
  test('replace removes it', () => {
    expect(changesOf('B=2\nC=4', 'replace')).toEqual(['B SAME', 'C ADDED', 'A REMOVED', 'DB REMOVED']);
    expect(namesOf(pastedVariables(rows, 'B=2\nC=4', 'replace').rows)).toEqual(['B=2', 'C=4']);
  });
  test('a reference that the file names becomes a plain value', () => {
    expect(changesOf('DB=x', 'merge')).toEqual(['DB CHANGED']);
    expect(namesOf(pastedVariables(rows, 'DB=x', 'merge').rows)).toEqual(['A=1', 'B=2', 'DB=x']);
  });
  test.each([
    ['Bash', "export C='4'"],
    ['PowerShell', "$env:C = '4'"],
    ['JSON', '{ "C": "4" }'],
    ['YAML', 'C: "4"'],
  ])('%s', (_, text) => expect(namesOf(pastedVariables([], text, 'merge').rows)).toEqual(['C=4']));
  test('what can be no variable is reported with its line', () => {
    const { variables, errors } = pastedVariables([], 'OK=1\nnot.one=2\nnonsense', 'merge');
    expect(variables.map(({ name }) => name)).toEqual(['OK']);
    expect(errors.map(({ line, code }) => [line, code])).toEqual([
      [2, 'INVALID_ENV_VAR_NAME'],
      [3, 'SecretFileLineInvalid'],
    ]);
  });
  test.each([
    ['LOG_LEVEL', false],
    ['LOG_LEVEL=info', true],
    ['export A=1', true],
    ['A: 1\nB: 2', true],
    ['some words', false],
    ['NAME\n', false],
  ])('%j is a file: %s', (text, isFile) => expect(isPastedFile(text)).toBe(isFile));
});

test('searching looks at names, values and keys', () => {
  const found = (query: string) => rows.filter((row) => matchesSearch(row, query)).map(({ name }) => name);
  expect([found('b'), found('2'), found('orders'), found(' '), found('zz')]).toEqual([['B', 'DB'], ['B'], ['DB'], ['A', 'B', 'DB'], []]);
});

test('counting, and another source', () => {
  expect([countLabel([]), countLabel(rows), countLabel(rows.slice(0, 1))]).toEqual([
    '0 variables',
    '3 variables, 1 from secrets',
    '1 variable',
  ]);
  expect(withSource(reference, 'STATIC')).toMatchObject({ name: 'DB', source: 'STATIC', value: '' });
  expect(withSource(variable('A', 'x'), 'SECRET_KEY')).not.toHaveProperty('value');
});

const mount = (rest: Partial<MountRow>): MountRow => ({
  mountPath: '/run/s/',
  secretGroup: 'orders',
  includeAllKeys: true,
  fileFormat: 'file',
  secretKey: null,
  ...rest,
});
test.each([
  [mount({}), ['/run/s/a', '/run/s/b']],
  [mount({ includeAllKeys: false, secretKey: 'b' }), ['/run/s/b']],
  [mount({ fileFormat: 'PowerShell' }), ['/run/s/orders.ps1']],
  [mount({ mountPath: '/', fileFormat: 'env' }), ['/orders.env']],
  [mount({ secretGroup: '' }), []],
  [mount({ includeAllKeys: false }), []],
])('files of a volume', (row, names) => expect(mountNames(row, ['a', 'b'])).toEqual(names));

test('moving rows', () => {
  expect([moved([1, 2, 3], 1, -1), moved([1, 2, 3], 1, 1), moved([1], 0, -1)]).toEqual([[2, 1, 3], [1, 3, 2], [1]]);
});

test('the times of a health check', () => {
  const times = { initialDelaySeconds: 1, periodSeconds: 10, timeoutSeconds: 2, successThreshold: 3, failureThreshold: 1 };
  expect(checkTimesLabel(times)).toBe('Ready after 21 s; removed after 10 s of failures.');
  expect(checkTimesLabel({ ...times, initialDelaySeconds: 0, successThreshold: 1 })).toContain('Ready immediately;');
  expect(checkTimesLabel({ ...times, periodSeconds: null })).toBeUndefined();
});

test('the address', () => {
  const place = { service: 'api', app: 'berth', env: 'development' };
  const template = 'http://{service}.{app}.{env}.localhost:4080';
  const of = (values: Record<string, unknown>) => serviceAddress(draftOf(settingsWith(values)), place, template);
  expect(of({})).toBe('http://api.berth.development.localhost:4080');
  expect(of({ 'spec.externalTraffic.basePath': '/v2', 'spec.externalTraffic.domain': 'api.example.com' })).toBe(
    'http://api.example.com:4080/v2',
  );
  expect(of({ 'spec.externalTraffic.type': 'NONE' })).toBeUndefined();
  expect(of({ 'spec.exposedPort': null })).toBeUndefined();
});

test('peaks: nothing measured is no zero', () => {
  const point = { at: '2026-11-20T12:00:00Z', requests: null, errors: null, p95Ms: null, memoryMegabytes: null };
  expect(peaksOf([{ ...point, cpuMillicores: null, maxMemoryMegabytes: null, instances: 0 }])).toBeUndefined();
  expect(
    peaksOf([
      { ...point, cpuMillicores: 300, maxMemoryMegabytes: 80, instances: 2 },
      { ...point, cpuMillicores: 100, maxMemoryMegabytes: 120, instances: 1 },
    ]),
  ).toEqual({ cpu: 150, memory: 120 });
});
