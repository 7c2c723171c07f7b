import { serviceChanges } from '@slipway/contract/service/settings-diff.ts';
import type { ServiceSettings } from '@slipway/contract/service/service-settings.ts';
import { newServiceSpec } from '@slipway/contract/service/service-spec.ts';
import { expect, test } from 'vitest';
import { bySection, carryOf, isCarried, missingSecret, withTicks } from './comparison.ts';

const settings = (): ServiceSettings => ({ githubRepositoryName: null, active: true, spec: newServiceSpec('localhost/berth/berth') });
const target = settings();
const source = settings();
source.spec.resources.memoryMegabytes = 512;
source.spec.template.envVars = [
  { name: 'LOG_LEVEL', source: 'STATIC', value: 'debug' },
  { name: 'DB', source: 'SECRET_KEY', secretGroup: 'berth-db', secretKey: 'PASSWORD' },
];
source.spec.template.secretFileMounts = [
  { mountPath: '/etc/tls', secretGroup: 'berth-tls', includeAllKeys: true, fileFormat: 'file', secretKey: null },
];
const changes = serviceChanges(target, source);
const db = 'spec.template.envVars.DB';
const pathsOf = (list: readonly { path: string }[]) => list.map(({ path }) => path);

test('differences stand under the sections of the settings screen, in its order', () => {
  expect(bySection(changes).map(({ title, changes: own }) => [title, own.map(({ label }) => label)])).toEqual([
    ['Resource management', ['Memory']],
    ['File volumes', ['/etc/tls']],
    ['Environment variables', ['LOG_LEVEL', 'DB']],
  ]);
});

test('the API chooses until somebody does', () => {
  expect(carryOf(changes, new Map())).toBe('all');
  const ticks = withTicks(new Map(), [db], false);
  expect(carryOf(changes, ticks)).toEqual(pathsOf(changes).filter((path) => path !== db));
  expect(carryOf(changes, withTicks(ticks, [db], true))).toEqual(pathsOf(changes));
  expect(carryOf(changes, withTicks(ticks, pathsOf(changes), false))).toEqual([]);
});

test('what belongs to the service that has it is carried only when it is ticked', () => {
  const path = 'spec.externalTraffic.domain';
  expect(isCarried(new Map(), path)).toBe(false);
  expect(isCarried(withTicks(new Map(), [path], true), path)).toBe(true);
  expect(isCarried(new Map(), db)).toBe(true);
});

const missing = (groups: Parameters<typeof missingSecret>[1]) =>
  changes.flatMap((change) => {
    const found = missingSecret(change, groups);
    return found ? [[change.label, found.group, found.key]] : [];
  });
const group = (name: string, ...keys: string[]) => ({
  name,
  keys: keys.map((key) => ({ key, sizeBytes: 1, expiresAt: null, expiry: 'NONE' as const, isUnused: false })),
});

test('secrets that the target lacks are listed by group and key, and nothing before they are read', () => {
  expect(missing(undefined)).toEqual([]);
  expect(missing([])).toEqual([
    ['/etc/tls', 'berth-tls', undefined],
    ['DB', 'berth-db', undefined],
  ]);
  expect(missing([group('berth-db', 'USER'), group('berth-tls')])).toEqual([['DB', 'berth-db', 'PASSWORD']]);
  expect(missing([group('berth-db', 'PASSWORD'), group('berth-tls')])).toEqual([]);
});
