import { applicationSummaryList, applicationView } from '@slipway/contract/application.ts';
import { pipelineList, pipelineView } from '@slipway/contract/pipeline.ts';
import { revisionList } from '@slipway/contract/revision.ts';
import { serviceView } from '@slipway/contract/service.ts';
import { teamView } from '@slipway/contract/team.ts';
import { expect, test } from 'vitest';
import { isConcerned } from './hints.ts';
import { q } from '#kit/api/query.ts';

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
