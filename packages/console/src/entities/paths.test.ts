import { describe, expect, test } from 'vitest';
import { paths, pipelinePath } from './paths.ts';

const ref = { app: 'berth', env: 'production', service: 'berth-api' };

describe('paths', () => {
  test.each([
    [paths.app({ app: 'berth' }), '/app/berth'],
    [paths.app(ref), '/app/berth/production'],
    [paths.containerRegistry(ref), '/app/berth/production/container-registry'],
    [paths.appActivity(ref), '/app/berth/production/activity-logs'],
    [paths.service(ref), '/app/berth/production/service/berth-api'],
    [paths.service(ref, 'pipelines'), '/app/berth/production/service/berth-api/pipelines'],
    [paths.revision({ ...ref, revision: 'berth-api-3' }), '/app/berth/production/service/berth-api/revision/berth-api-3'],
    [paths.pipeline({ ...ref, pipeline: 'p/1' }), '/app/berth/production/service/berth-api/pipeline/p%2F1'],
    [paths.team('cranes', 'activity-logs'), '/team/cranes?tab=activity-logs'],
    [paths.newAppBlank('MAC 1'), '/new-app/blank?macId=MAC%201'],
  ])('%s', (built, expected) => {
    expect(built).toBe(expected);
  });
});

describe('pipelinePath', () => {
  const subject = { team: 'cranes', app: null, env: null, service: null, revision: null };
  test.each([
    [{ ...subject, ...ref }, '/app/berth/production/service/berth-api/pipeline/p1'],
    [{ ...subject, app: 'berth' }, '/app/berth'],
    [{ ...subject, app: 'berth', env: 'production' }, '/app/berth/production'],
    [subject, '/team/cranes'],
    [{ ...subject, team: null }, '/pipelines'],
  ])('%o', (given, expected) => {
    expect(pipelinePath({ pipelineId: 'p1', subject: given })).toBe(expected);
  });
});
