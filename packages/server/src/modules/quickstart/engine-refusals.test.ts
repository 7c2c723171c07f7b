// @long (shared process): tries rare cases that take long
/** Every refusal of an engine is reported as text: all codes of builder, registry and source host, through a real pipeline. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fill } from '@slipway/contract/kernel/errors.ts';
import { pipelineView, type PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { quickstartApplicationCreate } from '@slipway/contract/quickstart.ts';
import { stepMessages, withoutLogs } from '@slipway/contract/pipeline/steps.ts';
import type { Builder } from '#ports/builder.ts';
import { PortFailure } from '#ports/failure.ts';
import type { SourceHost } from '#ports/source.ts';
import { testApp, type TestApp } from '#testing/app.ts';
import { faultyPort, type FaultyPort } from '#testing/faults/faulty-port.ts';
import { good } from '#testing/programs.ts';

let app: TestApp;
let builder: FaultyPort<Builder>;
let source: FaultyPort<SourceHost>;
beforeAll(async () => {
  app = await testApp({
    templates: async () => good('one'),
    adapt: (adapters) => {
      builder = faultyPort(adapters.builder);
      source = faultyPort(adapters.source);
      return { ...adapters, builder: builder.port, source: source.port };
    },
  });
});
afterAll(() => app?.close());

let count = 0;
const quickstart = (): Promise<PipelineRun> =>
  app.run('member', quickstartApplicationCreate, {
    body: { id: `refused-${++count}`, displayName: 'Refused', teamId: 'cranes', template: 'node-http-api' },
  });
const refusing = (code: string, context: Record<string, string>) => () =>
  Promise.reject(new PortFailure('rejected', code, { code, context }));
const reason = 'as the test wishes';

test.each<[string, string, Record<string, string>]>([
  ['BuildImage', 'BuildNoStartCommand', {}],
  ['BuildImage', 'BuildLockfileMissing', {}],
  ['BuildImage', 'BuildPackageInvalid', { reason }],
  ['BuildImage', 'BuildDependenciesFailed', { reason }],
  ['BuildImage', 'BuildScriptFailed', { reason }],
  ['BuildImage', 'BuildTimeout', { seconds: '600' }],
  ['BuildImage', 'BuildTooLarge', { limit: '1 GB' }],
  ['BuildImage', 'BuildOutputInvalid', { reason }],
  ['BuildImage', 'BuildSourceInvalid', { reason }],
  ['BuildImage', 'BuildSandboxRequired', {}],
  ['BuildImage', 'RegistryDenied', { reason }],
  ['BuildImage', 'RegistryRefused', { reason }],
])('%s: %s', async (step, code, context) => {
  builder.next('build', refusing(code, context));
  await expectTold(await quickstart(), step, code, context);
});

test.each<[string, string, Record<string, string>, 'readTree' | 'createRepository']>([
  ['BuildImage', 'SourceTooLarge', { limit: '256 MB' }, 'readTree'],
  ['BuildImage', 'CommitDoesNotExist', { commit: 'abc1234' }, 'readTree'],
  ['CreateRepository', 'SourcePathInvalid', { path: '../x' }, 'createRepository'],
  ['CreateRepository', 'RepositoryNameInvalid', { repository: 'x.git' }, 'createRepository'],
])('%s: %s', async (step, code, context, verb) => {
  source.next(verb, refusing(code, context));
  await expectTold(await quickstart(), step, code, context);
});

test('a repository that somebody else makes in the same moment', async () => {
  source.next('createRepository', () => Promise.reject(new PortFailure('conflict', 'taken')));
  const run = await quickstart();
  expect(run.statusMessage).toBe(
    `Github repository refused-${count}/refused-${count} already exists. Choose a different application name.`,
  );
});

const expectTold = async (run: PipelineRun, step: string, code: string, context: Record<string, string>): Promise<void> => {
  const template = stepMessages[`${step}.${code}`] ?? stepMessages[code] ?? '';
  expect(run.status.steps.find(({ state }) => state === 'FAILED')).toMatchObject({ code: step, message: { code, context } });
  expect([template === '', run.statusMessage]).toEqual([false, fill(template, context)]);
  const reported = await app.call('stranger', pipelineView, { params: { pipelineId: run.pipelineId } });
  expect((reported.body as PipelineRun).statusMessage).toBe(fill(template, withoutLogs({ code, context }).context));
};
