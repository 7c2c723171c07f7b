import { expect, test } from 'vitest';
import { appKind } from './kinds/application.kind.ts';
import { hintOf, pipelineHint } from './hint.ts';
import { idsOf, kinds, nameOf, pipelineHome, registerKind, rowKey, subjectKey, subjectKeys, subjectOfKey, subjectPath } from './kinds.ts';
import { pipelineTypeLabel, pipelineTypes } from './pipeline/pipeline-types.ts';
import { revisionKind } from './kinds/revision.kind.ts';
import { routes } from './routes.ts';
import { secretGroupKind } from './kinds/secret-group.kind.ts';
import { serviceKind } from './kinds/service.kind.ts';
import { subjectOf } from './kernel/subject.ts';

const names = { app: 'berth', env: 'production', service: 'berth-api' };
const service = subjectOf(serviceKind, names, { team: 'cranes', ids: { service: 'svc_1' } });

test('every kind is named by routes that are there, and its words are its own', () => {
  for (const { kind, shownBy } of kinds())
    for (const beginning of shownBy)
      expect([kind, beginning, routes.some(({ id }) => id.startsWith(beginning))]).toEqual([kind, beginning, true]);
  const types = pipelineTypes();
  expect(new Set(types).size).toBe(types.length);
  expect(() => registerKind(serviceKind)).toThrow('There is a kind service already');
});

test('a subject has the keys of what it lies in, by name and by row', () => {
  expect(subjectKeys(service)).toEqual(['service:berth/production/berth-api', 'service#svc_1', 'app:berth']);
  const revision = subjectOf(revisionKind, { ...names, revision: 'berth-api-3' }, { ids: { service: 'svc_1', revision: 'rev_3' } });
  expect(subjectKeys(revision)).toEqual(['revision:berth/production/berth-api/berth-api-3', 'revision#rev_3', ...subjectKeys(service)]);
  expect(idsOf(subjectKeys(revision))).toEqual({ service: 'svc_1', revision: 'rev_3' });
  expect(rowKey(serviceKind, 'svc_1')).toBe('service#svc_1');
});

test('what is for a service’s sake shows with the service, too', () => {
  const group = { app: 'berth', env: 'production', group: 'keys' };
  expect(subjectKeys(subjectOf(secretGroupKind, group))).toEqual(['secretGroup:berth/production/keys', 'app:berth']);
  expect(subjectKeys(subjectOf(secretGroupKind, { ...group, service: 'berth-api' }))).toContain('service:berth/production/berth-api');
});

test.each([['a/b'], ['50%'], ['x#y'], ['ä b'], ['a:b']])('the name %j stays one name in a key', (app) => {
  const key = subjectKey(subjectOf(appKind, { app }));
  expect(subjectOfKey(key)).toEqual({ kind: 'app', names: { app } });
  expect(idsOf([key])).toEqual({});
});

test.each([[''], ['app'], ['app:'], ['barge:x'], ['service:berth'], ['app:a/b'], ['app:%'], ['activity:berth'], ['service#svc_1']])(
  '%j is no key',
  (key) => {
    expect(subjectOfKey(key)).toBeUndefined();
  },
);

test('an address with a name left out is refused', () => {
  expect(() => subjectKey({ kind: 'service', names: { app: 'berth' } })).toThrow('no address of the kind service');
  expect(() => subjectKeys({ kind: 'barge', names })).toThrow('no address of the kind barge');
});

test('pages: its own, or that of the nearest thing it lies in', () => {
  expect(subjectPath(service)).toBe('/app/berth/production/service/berth-api');
  expect(subjectPath({ kind: 'instance', names })).toBe('/app/berth/production/service/berth-api');
  expect(subjectPath({ kind: 'barge', names })).toBeUndefined();
  expect(pipelineHome({ kind: 'revision', names })?.kind).toBe(serviceKind);
  expect(pipelineHome({ kind: 'app', names })).toBeUndefined();
  expect(nameOf(service)).toBe('berth-api');
});

test('hints: flat, of known kinds alone', () => {
  const hint = pipelineHint(service, 'pl_1');
  expect(hint).toEqual({ kind: 'pipeline', about: 'service', team: 'cranes', pipelineId: 'pl_1', ...names });
  expect(hintOf(hint)).toEqual(hint);
  for (const bad of [null, {}, { kind: 'barge' }, { kind: 'pipeline', about: 'barge' }, { kind: 'app', app: 1 }])
    expect(hintOf(bad)).toBeUndefined();
});

test('types of pipelines: of a kind and what lies in it', () => {
  expect(pipelineTypes(serviceKind)).toEqual(expect.arrayContaining(['Deploy', 'DeleteRevision']));
  expect(pipelineTypes(serviceKind)).not.toContain('CreateApplication');
  expect([pipelineTypeLabel('Deploy'), pipelineTypeLabel('toString')]).toEqual(['Deploy', undefined]);
});
