import type { PipelineRun, PipelineStep } from '@slipway/contract/pipeline/pipeline.ts';
import { subjectView } from '@slipway/contract/subject-view.ts';
import { expect, test } from 'vitest';
import { failureHelp, failureSeen, failureSentence, failureText, fixHref, fixingHelp, stoppedSentence } from './pipeline-failure.ts';
import { isNotReached, isUndoing } from '#entities/pipeline/pipeline-progress.ts';
import { pipelineTitle } from '#entities/pipeline/pipeline-title.ts';

const step = (code: string, state: PipelineStep['state'], message: PipelineStep['message'] = null): PipelineStep => ({
  name: code,
  code,
  state,
  message,
  startedAt: state === 'SKIPPED' || state === 'PENDING' ? null : '2026-11-20T12:00:00.000Z',
  endedAt: null,
  usualMs: null,
  isPointOfNoReturn: false,
});
const place = { app: 'berth', env: 'production', service: 'berth-api' };
const run = (change: Partial<PipelineRun>, ...steps: PipelineStep[]): PipelineRun => ({
  pipelineId: 'pl',
  runId: 'run',
  pipelineType: 'Deploy',
  status: { state: 'FAILED', steps },
  statusMessage: null,
  creationTimestamp: '',
  startedAt: null,
  endedAt: null,
  subject: { ...subjectView({ kind: 'service', names: place }), ...place, team: 't', revision: null },
  facts: { revision: 'berth-api-35' },
  createdBy: { id: 'i', displayName: 'Ingrid' },
  trigger: 'person',
  runs: [],
  can: {},
  ...change,
});
const crash = { code: 'CrashLoop', context: { exit: 'exit code 1', lastLine: 'It said: boom' } };

test('a crash is described in a sentence and leads to the log of its revision', () => {
  const failed = run({}, step('CreateRevision', 'COMPLETED', { code: 'Undone', context: {} }), step('StartInstances', 'FAILED', crash));
  expect(failureSentence(failed)).toBe('The instances exit right after the start: exit code 1. It said: boom');
  expect(failureHelp(failed)).toEqual({
    label: 'Read the log of revision 35',
    href: '/app/berth/production/service/berth-api/revision/berth-api-35#logs',
  });
  expect(failureSeen(failed, 'berth-api-34').map(({ text }) => text)).toEqual([
    'Rolled back.',
    'Revision 34 still serves all traffic. No action needed.',
  ]);
});

test('says how long the instances had, once they are stopped', () => {
  const late = (instances: string) => step('StartInstances', 'FAILED', { code: 'NotHealthy', context: { seconds: '63', instances } });
  const undone = (code: string) => step('CreateRevision', 'COMPLETED', { code, context: {} });
  expect(stoppedSentence(run({}, undone('Undone'), late('3')))).toBe('All 3 instances were stopped after 1 min 03 s.');
  expect(stoppedSentence(run({}, undone('Undone'), late('1')))).toBe('Its instance was stopped after 1 min 03 s.');
  const unanswered = step('StartInstances', 'FAILED', {
    code: 'NotHealthy',
    context: { seconds: '63', instances: '1', reason: 'GET / returned 404' },
  });
  expect(failureText(run({}, undone('Undone'), unanswered))).toBe(
    'Health check failed: GET / returned 404. Its instance was stopped after 1 min 03 s.',
  );
  const undoing = { status: { state: 'RUNNING' as const, steps: [undone('Undone'), late('3')] } };
  const unpulled = { code: 'ImagePullFailed', context: { seconds: '63', instances: '3' } };
  const scaled = { ...late('3'), code: 'ScaleInstances' };
  const failures = [step('StartInstances', 'FAILED', crash), step('StartInstances', 'FAILED', unpulled), scaled];
  const unsure = [run({}, undone('UndoFailed'), late('3')), run(undoing), ...failures.map((one) => run({}, undone('Undone'), one))];
  for (const one of unsure) expect(stoppedSentence(one)).toBe('');
});

test('what could not be removed comes first', () => {
  const left = { code: 'UndoFailed', context: { reason: 'the registry does not answer' } };
  const [first] = failureSeen(run({}, step('BuildImage', 'COMPLETED', left), step('StartInstances', 'FAILED', crash)), null);
  expect(first?.tone).toBe('bad');
  expect(first?.text).toContain('the registry does not answer');
});

test('a code without words is still named', () => {
  expect(failureSentence(run({}, step('ShiftTraffic', 'FAILED', { code: 'Novel', context: {} })))).toBe('Novel');
});

test('skipped after a failure means not reached', () => {
  const failed = run({}, step('BuildImage', 'FAILED'), step('ShiftTraffic', 'SKIPPED'));
  expect(failed.status.steps.map((item) => isNotReached(failed, item))).toEqual([false, true]);
  expect(isUndoing(failed)).toBe(false);
  expect(isUndoing({ status: { ...failed.status, state: 'RUNNING' } })).toBe(true);
});

test.each([
  [run({}), 'Deploy revision 35'],
  [run({ pipelineType: 'QuickstartService' }), 'Create service berth-api'],
  [run({ pipelineType: 'ServiceActivation' }, step('StopInstances', 'RUNNING')), 'Deactivate service'],
  [run({ pipelineType: 'RevisionActivation' }, step('StopInstances', 'SKIPPED')), 'Enable revision 35'],
  [run({ pipelineType: 'RevisionActivation' }, step('StopInstances', 'PENDING')), 'Enable or disable revision 35'],
  [run({ pipelineType: 'Novel' }), 'Novel'],
])('titles', (titled, title) => {
  expect(pipelineTitle(titled)).toBe(title);
});

test('a settings change that failed is fixed in the settings, from its revision’s snapshot where there is one', () => {
  const settings = '/app/berth/production/service/berth-api/settings';
  expect(fixHref(run({ pipelineType: 'UpdateService' }))).toBe(`${settings}?from=berth-api-35`);
  expect(fixHref(run({ pipelineType: 'UpdateService', facts: {} }))).toBe(settings);
  expect(fixHref(run({ pipelineType: 'Deploy' }))).toBeUndefined();
});

test('help in the settings opens them with what was tried; other help stays as it is', () => {
  const fix = '/app/a/production/service/s/settings?from=s-3';
  const network = { label: 'Open the network settings', href: '/app/a/production/service/s/settings#network' };
  expect(fixingHelp(network, fix)?.href).toBe(`${fix}#network`);
  expect(fixingHelp(network, undefined)).toBe(network);
  const port = { label: 'Set the exposed port to 3000', href: '/app/a/production/service/s/settings?fix=spec.exposedPort%3A3000#network' };
  expect(fixingHelp(port, fix)?.href).toBe(`${fix}&fix=spec.exposedPort%3A3000#network`);
  const log = { label: 'Read the log', href: '/app/a/production/service/s/revision/s-3#logs' };
  expect(fixingHelp(log, fix)).toBe(log);
});

test('what a deletion has deleted is gone, and re-running it deletes the rest', () => {
  const begun = { ...step('DeleteRepositories', 'FAILED', crash), isPointOfNoReturn: true };
  const gone = 'What was deleted before it failed is gone. There is no way back: re-running it deletes the rest.';
  expect(failureSeen(run({ pipelineType: 'DeleteApplication' }, begun), null)).toEqual([{ tone: 'warn', text: gone }]);
  const before = [step('Check', 'FAILED', crash), { ...step('DeleteRepositories', 'SKIPPED'), isPointOfNoReturn: true }];
  expect(failureSeen(run({ pipelineType: 'DeleteApplication' }, ...before), null).map(({ text }) => text)).not.toContain(gone);
  expect(failureSeen(run({ pipelineType: 'Deploy' }, begun), null).map(({ text }) => text)).not.toContain(gone);
});
