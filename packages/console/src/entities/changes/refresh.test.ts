import { appKind } from '@slipway/contract/kinds/application.kind.ts';
import { applicationSummaryList, applicationView } from '@slipway/contract/application.ts';
import { pipelineHint } from '@slipway/contract/hint.ts';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { registerKind } from '@slipway/contract/kinds.ts';
import { pipelineList, pipelineView } from '@slipway/contract/pipeline/pipeline.ts';
import { revisionList } from '@slipway/contract/service/revision.ts';
import { serviceView } from '@slipway/contract/service/service.ts';
import { declareKind } from '@slipway/contract/kernel/subject.ts';
import { teamView } from '@slipway/contract/team.ts';
import { expect, test } from 'vitest';
import { pipelinePath } from '#entities/paths.ts';
import { isConcerned } from './refresh.ts';
import { q } from '#kit/api/query.ts';
import { secretGroupList } from '@slipway/contract/secret/secret-group.ts';
import { repositoryList } from '@slipway/contract/service/service-operations.ts';

const bargeKind = declareKind({
  kind: 'barge',
  label: 'Barge',
  plural: 'Barges',
  under: appKind,
  names: ['barge'],
  access: 'signedIn',
  shownBy: ['barge'],
  path: '/barge/{barge}',
  pipelinePath: '/barge/{barge}/run/{pipelineId}',
});
const here = { app: 'berth', env: 'development', service: 'berth' };
const hint = { kind: 'revision', ...here, revision: 'berth-2' } as const;

test.each([
  ['the service it belongs to', q(serviceView, { params: here }), true],
  ['the same service in the other environment', q(serviceView, { params: { ...here, env: 'production' } }), false],
  ['its list', q(revisionList, { params: here }), true],
  ['the dashboard, which shows health', q(applicationSummaryList, {}), true],
  ['another app', q(applicationView, { params: { app: 'crane' } }), false],
  ['a team', q(teamView, { params: { team: 'cranes' } }), false],
  ['what is no query of a route', 'some-key', false],
])('a revision concerns %s: %o', (_name, key, expected) => {
  expect(isConcerned(key, hint)).toBe(expected);
});

test('a pipeline concerns its own page and every list of pipelines, not other pipelines', () => {
  const own = { kind: 'pipeline', pipelineId: 'p1' } as const;
  expect(isConcerned(q(pipelineView, { params: { pipelineId: 'p1' } }), own)).toBe(true);
  expect(isConcerned(q(pipelineView, { params: { pipelineId: 'p2' } }), own)).toBe(false);
  expect(isConcerned(q(pipelineList, { query: { active: 'true' } }), own)).toBe(true);
});

test('a kind that is declared makes its own lists old, also by its pipelines', () => {
  registerKind(bargeKind);
  const list: RouteShape = { id: 'bargeList', method: 'GET', path: '/b/{app}', summary: '', tag: '', access: 'signedIn', codes: [] };
  const key = (app: string) => [list.id, { app }, {}];
  const names = { app: 'berth', barge: 'tug' };
  for (const about of [{ kind: 'barge', ...names }, pipelineHint({ kind: 'barge', names }, 'p1')]) {
    expect(isConcerned(key('berth'), about)).toBe(true);
    expect(isConcerned(key('crane'), about)).toBe(false);
    expect(isConcerned(q(serviceView, { params: here }), about)).toBe(false);
  }
  expect(pipelinePath({ pipelineId: 'p1', subject: { kind: 'barge', names } })).toBe('/barge/tug/run/p1');
});

const team = q(teamView, { params: { team: 'cranes' } });
const app = q(applicationView, { params: { app: 'berth' } });
const groups = q(secretGroupList, { params: { app: 'berth', env: 'development' } });
const repositories = q(repositoryList, { params: { app: 'berth' } });
const names = { team, app, groups, repositories };
const concerned = (hint: Parameters<typeof isConcerned>[1]) =>
  Object.entries(names).flatMap(([name, key]) => (isConcerned(key, hint) ? [name] : []));

test('a write asks again for what its hint names, and for nothing else', () => {
  expect(concerned({ kind: 'team', team: 'cranes' })).toEqual(['team', 'app']);
  expect(concerned({ kind: 'team', team: 'quays' })).toEqual(['app']);
  expect(concerned({ kind: 'secretGroup', app: 'berth' })).toEqual(['groups']);
  expect(concerned({ kind: 'secretGroup', app: 'crane' })).toEqual([]);
  expect(concerned({ kind: 'service', app: 'berth', env: 'development', service: 'berth-api' })).toEqual(['app', 'repositories']);
});
