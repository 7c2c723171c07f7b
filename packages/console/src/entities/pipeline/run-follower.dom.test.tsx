/** Following a run to its end. */
import type { PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { beforeEach, expect, test, vi } from 'vitest';
import { ResponseError } from '#kit/api/errors.ts';
import { sayEnd } from './run-follower.ts';

let answers: (string | ResponseError)[];
const said: string[] = [];
vi.mock(import('#kit/api/call.ts'), () => ({
  call: (async () => {
    const answer = answers.shift();
    if (answer instanceof ResponseError) throw answer;
    return { pipelineId: 'pl_1', subject: { kind: 'app', app: 'berth' }, status: { state: answer } };
  }) as never,
}));
vi.mock(import('@slipway/ui/overlay/toast.ts'), () => ({
  toast: { success: (text: string) => said.push(text), failure: (text: string) => said.push(`! ${text}`) } as never,
}));
beforeEach(() => void (said.length = 0));

const follow = async (given: typeof answers, done?: string): Promise<readonly string[]> => {
  answers = given;
  await sayEnd({ pipelineId: 'pl_1' } as PipelineRun, { ...(done !== undefined && { done }), failed: 'Service settings update failed.' });
  return said;
};

test('goes on past a failed answer, and says what the end is', async () => {
  const unavailable = new ResponseError(503, undefined);
  expect(await follow([unavailable, 'COMPLETED'], 'Topic deleted successfully')).toEqual(['Topic deleted successfully']);
});

test('says that a run failed', async () => {
  expect(await follow(['FAILED'])).toEqual(['! Service settings update failed.']);
});

test('says nothing of a success without words', async () => {
  expect(await follow(['COMPLETED'])).toEqual([]);
});

test('says that a run that is gone cannot be followed', async () => {
  expect(await follow([new ResponseError(404, undefined)], 'Done')).toEqual(['! The pipeline cannot be followed']);
});
