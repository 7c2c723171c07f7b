import { expect, test } from 'vitest';
import { pipelineFilterDefaults, pipelineListQuery, serviceTypes } from './pipeline-filter.ts';

test('the address becomes a query, and what nobody knows is left out', () => {
  expect(pipelineListQuery({ show: 'running', type: 'Rollback', trigger: 'token' })).toEqual({
    state: ['QUEUED', 'PENDING', 'RUNNING'],
    type: 'Rollback',
    trigger: 'token',
  });
  expect(pipelineListQuery({ show: 'sleeping', type: 'Nothing', trigger: 'moon' })).toEqual({});
  expect(pipelineListQuery(pipelineFilterDefaults)).toEqual({});
});

test('a service is not offered the pipelines of teams', () => {
  expect(serviceTypes).toContain('BuildAndDeploy');
  expect(serviceTypes).not.toContain('CreateTeam');
});
