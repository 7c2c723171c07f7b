/** Follows quickstarts: each stored entry is polled each second until it ends, and forgotten if it does not exist. */
import { act } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { SWRConfig } from 'swr';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ResponseError } from '#kit/api/errors.ts';
import { addQuickstartEntry, removeQuickstartEntry } from '#features/quickstart/quickstart-entries.ts';
import './FollowQuickstart.tsx';
import { FollowQuickstarts } from './FollowQuickstarts.tsx';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
const states = new Map<string, string>();
const asked: string[] = [];
vi.mock(import('#kit/api/call.ts'), () => ({
  call: (async (_: unknown, { params: { pipelineId } }: { params: { pipelineId: string } }) => {
    asked.push(pipelineId);
    const state = states.get(pipelineId);
    if (state === undefined) throw new ResponseError(404, undefined);
    return { pipelineId, status: { state, steps: [] } };
  }) as never,
}));

const ids = ['pl_1', 'pl_2'];
const stored = (): unknown => JSON.parse(localStorage.getItem('pipelines') ?? '[]');
let root: Root;
beforeEach(async () => {
  vi.useFakeTimers();
  for (const id of ids) addQuickstartEntry(id, id === 'pl_1' ? 0 : 1);
  for (const id of ids) states.set(id, 'RUNNING');
  root = createRoot(document.createElement('div'));
  await act(async () =>
    root.render(
      <SWRConfig value={{ provider: () => new Map() }}>
        <FollowQuickstarts />
      </SWRConfig>,
    ),
  );
  await pass(0);
});
afterEach(async () => {
  await act(async () => root.unmount());
  for (const id of ids) removeQuickstartEntry(id);
  vi.useRealTimers();
});

/** Lets time pass, and returns how often each quickstart was asked for in it. */
const pass = async (ms: number): Promise<readonly number[]> => {
  asked.length = 0;
  await act(async () => vi.advanceTimersByTimeAsync(ms));
  return ids.map((id) => asked.filter((other) => other === id).length);
};

test('an entry has its id, its type and its start', () => {
  expect(stored()).toEqual([
    { id: 'pl_1', type: 0, startTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) },
    { id: 'pl_2', type: 1, startTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) },
  ]);
});

test.each(['COMPLETED', 'FAILED'])('each stored quickstart is asked for each second until it is %s', async (end) => {
  expect(await pass(5000)).toEqual([5, 5]);
  states.set('pl_1', end);
  await pass(1000);
  expect(await pass(5000)).toEqual([0, 5]);
});

test('a quickstart that does not exist is removed from storage, and the others stay', async () => {
  states.delete('pl_1');
  await pass(1000);
  expect(stored()).toMatchObject([{ id: 'pl_2' }]);
  expect(await pass(3000)).toEqual([0, 3]);
});
