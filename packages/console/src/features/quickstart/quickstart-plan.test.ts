import type { PipelineStep } from '@slipway/contract/pipeline/pipeline.ts';
import { expect, test } from 'vitest';
import { msLeft, planOf, planProgress } from './quickstart-plan.ts';

const config = {
  gitUrl: 'http://localhost:4000/git',
  registryHost: 'localhost:4000',
  flagsClientKey: null,
  serviceUrl: 'http://{service}.{app}.{env}.localhost:4080',
};
const names = { app: 'yard', env: 'development', service: 'yard', isNewApp: true, template: 'Node HTTP API' };
const step = (code: string, state: PipelineStep['state'], change: Partial<PipelineStep> = {}): PipelineStep => ({
  name: code,
  code,
  state,
  message: null,
  startedAt: state === 'PENDING' ? null : '2026-11-20T12:00:00.000Z',
  endedAt: null,
  usualMs: null,
  isPointOfNoReturn: false,
  ...change,
});
const run = (...steps: PipelineStep[]) => ({ status: { state: 'RUNNING' as const, steps } });

test('the promise carries the names', () => {
  expect(planOf(names, config).map(({ value }) => value)).toEqual([
    'localhost:4000/git/yard/yard.git',
    'localhost:4000/yard',
    'localhost:4000/yard/yard',
    'yard',
    'http://yard.yard.development.localhost:4080',
  ]);
  expect(planOf({ ...names, isNewApp: false }, config).map(({ kind }) => kind)).toEqual(['repository', 'image', 'service', 'url']);
});

test('names the database and the topic that were chosen', () => {
  const plan = planOf({ ...names, withDatabase: true, withStream: true }, config);
  expect(plan.map(({ kind }) => kind)).toEqual(['repository', 'registry', 'database', 'stream', 'image', 'service', 'url']);
  expect(plan.find(({ kind }) => kind === 'stream')?.value).toBe('yard.events');
});

test('the list moves with the steps', () => {
  const states = planProgress(
    planOf(names, config),
    run(
      step('CheckNames', 'COMPLETED'),
      step('CreateRepository', 'COMPLETED'),
      step('CreateRegistryProject', 'COMPLETED'),
      step('CreateRobotAccount', 'PENDING'),
      step('BuildImage', 'PENDING'),
    ),
    false,
  ).map(({ state }) => state);
  expect(states).toEqual(['completed', 'running', 'todo', 'todo', 'todo']);
});

test('what was removed again does not look made', () => {
  const undone = { message: { code: 'Undone', context: {} } };
  const states = planProgress(
    planOf(names, config),
    run(step('CreateRepository', 'COMPLETED', undone), step('BuildImage', 'FAILED'), step('CreateService', 'SKIPPED', { startedAt: null })),
    true,
  ).map(({ state }) => state);
  expect(states).toEqual(['canceled', 'skipped', 'failed', 'skipped', 'skipped']);
});

test('the rest is estimated by the usual durations, once all are known', () => {
  const now = Date.parse('2026-11-20T12:00:01.000Z');
  const known = run(step('BuildImage', 'RUNNING', { usualMs: 3000 }), step('StartInstances', 'PENDING', { usualMs: 2000 }));
  expect(msLeft(known, now)).toBe(4000);
  expect(msLeft(known, now + 60_000)).toBe(2000);
  expect(msLeft(run(step('BuildImage', 'RUNNING')), now)).toBeUndefined();
});
