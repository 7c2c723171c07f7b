import type { PipelineRun, PipelineStep } from '@slipway/contract/pipeline/pipeline.ts';
import { expect, test } from 'vitest';
import { chosenStep, scaleMs, stepMs, stepLabel } from './step-rows.ts';

const begun = '2026-11-20T12:00:00.000Z';
const now = Date.parse('2026-11-20T12:00:04.000Z');
const step = (code: string, state: PipelineStep['state'], change: Partial<PipelineStep> = {}): PipelineStep => ({
  name: code,
  code,
  state,
  message: null,
  startedAt: state === 'PENDING' ? null : begun,
  endedAt: null,
  usualMs: null,
  isPointOfNoReturn: false,
  ...change,
});
const run = (state: PipelineRun['status']['state'], ...steps: PipelineStep[]) => ({ status: { state, steps } }) as PipelineRun;

test('the page opens with what runs, else with what failed, else with what was done last', () => {
  const [a, b, c] = [step('A', 'COMPLETED'), step('B', 'FAILED'), step('C', 'RUNNING')];
  expect(chosenStep(run('RUNNING', a, b, c), '')?.code).toBe('C');
  expect(chosenStep(run('FAILED', a, b), '')?.code).toBe('B');
  expect(chosenStep(run('COMPLETED', a, step('D', 'SKIPPED')), '')?.code).toBe('A');
  expect(chosenStep(run('FAILED', a, b), 'A')?.code).toBe('A');
  expect(chosenStep(run('QUEUED', step('E', 'PENDING')), 'Gone')?.code).toBe('E');
});

test('bars share one scale of at least a second; usual times of steps to come do not stretch it', () => {
  expect(stepMs(step('A', 'RUNNING'), now)).toBe(4000);
  expect(stepMs(step('A', 'PENDING'), now)).toBeUndefined();
  expect(scaleMs([step('A', 'RUNNING'), step('B', 'PENDING', { usualMs: 60_000 })], now)).toBe(4000);
  expect(scaleMs([step('A', 'COMPLETED', { endedAt: begun, usualMs: 20 })], now)).toBe(1000);
});

test('no duration where nothing was done', () => {
  const failed = run('FAILED');
  expect(stepLabel(failed, step('A', 'SKIPPED', { startedAt: null }))).toBe('not reached');
  expect(stepLabel(failed, step('A', 'SKIPPED'))).toBe('nothing to do');
  expect(stepLabel(failed, step('A', 'COMPLETED'))).toBeUndefined();
});
