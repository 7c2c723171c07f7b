import type { ApplicationSummary } from '@slipway/contract/application.ts';
import { expect, test } from 'vitest';
import { groupApps } from './app-groups.ts';

const app = (id: string, change: Partial<ApplicationSummary> = {}): ApplicationSummary => ({
  id,
  displayName: id,
  teamId: 'cranes',
  teamName: 'Cranes',
  macId: null,
  state: 'ACTIVE',
  isMine: true,
  health: { development: 'HEALTHY', production: 'NONE' },
  lastDeploy: null,
  running: null,
  deploys: [],
  ...change,
});
const running = { pipelineId: 'p', pipelineType: 'Deploy', stepsDone: 1, stepsTotal: 4 };
const deploy = { at: '2026-11-01T00:00:00.000Z', by: 'Ingrid', revision: 'a-1', pipelineId: 'p', env: 'development' };

const idsOf = (apps: ApplicationSummary[]): Record<string, string[]> =>
  Object.fromEntries(groupApps(apps).map(({ key, rows }) => [key, rows.map(({ id }) => id)]));

test('each app is in exactly one group, in the order of the page', () => {
  const failing = app('failing', { health: { development: 'HEALTHY', production: 'FAILING' }, running });
  const failed = app('failed', { lastDeploy: { ...deploy, state: 'FAILED' } });
  const again = app('again', { lastDeploy: { ...deploy, state: 'FAILED' }, running });
  const off = app('off', { health: { development: 'INACTIVE', production: 'NONE' } });
  expect(
    idsOf([app('well'), failing, failed, again, app('lost', { state: 'NOT_CREATED' }), app('new', { state: 'CREATING' }), off]),
  ).toEqual({
    look: ['failing', 'failed', 'lost'],
    moving: ['again', 'new'],
    well: ['well'],
    idle: ['off'],
  });
});
