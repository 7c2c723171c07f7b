/** The notice of what is made or deleted: Re-run for what failed, also a deletion, Discard for what was never created. */
import type { PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { act } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { createMemoryRouter } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { afterEach, expect, test, vi } from 'vitest';
// Loaded here, so that the test does not wait for it.
import '#kit/confirm/ConfirmActionDialog.tsx';
import { ConfirmHost } from '#kit/confirm/ConfirmHost.tsx';
import { LifecycleNotice, type LifecycleNoticeProps } from './LifecycleNotice.tsx';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
const rerun = vi.fn(async () => {});
vi.mock(
  import('./use-pipeline-run.ts'),
  () =>
    ({
      usePipelineActions: () => ({ rerun, cancel: rerun, isRerunning: false, isCancelling: false }),
    }) as never,
);

const runIn = (state: string, code = 'DeleteRegistryProject'): PipelineRun =>
  ({
    pipelineId: 'pl_1',
    pipelineType: 'DeleteApplication',
    subject: { kind: 'app', name: 'berth', key: 'app:berth', names: { app: 'berth' } },
    can: { rerun: true, cancel: true },
    facts: {},
    status: {
      state,
      steps: [{ code, name: code, state: 'FAILED', message: { code: 'EngineUnavailable', context: { engine: 'registry', attempt: '3' } } }],
    },
  }) as never;
const discard = { title: 'Discard berth?', confirmLabel: 'Discard berth', run: vi.fn(async () => {}) };

let root: Root;
afterEach(() => act(async () => root.unmount()));
const show = async (state: LifecycleNoticeProps['state'], run: PipelineRun | undefined): Promise<string> => {
  document.body.innerHTML = '<div id="root"></div>';
  root = createRoot(document.getElementById('root') as HTMLElement);
  const element = (
    <>
      <LifecycleNotice noun="app" state={state} run={run} can={{ delete: true }} team="Cranes" discard={discard} />
      <ConfirmHost />
    </>
  );
  await act(async () => root.render(<RouterProvider router={createMemoryRouter([{ path: '/', element }])} />));
  return document.getElementById('root')?.textContent ?? '';
};
const press = (label: string) =>
  act(async () => [...document.querySelectorAll('button')].find(({ textContent }) => textContent === label)?.click());

test('nothing is said of what is there', async () => expect(await show('ACTIVE', undefined)).toBe(''));

test('a deletion under way is said; one that failed is re-run, and cannot be discarded', async () => {
  expect(await show('DELETING', runIn('RUNNING'))).toContain('This app is being deleted');
  const text = await show('DELETING', runIn('FAILED'));
  expect(text).toContain('There is no way back');
  expect(text).not.toContain('Discard');
  await press('Re-run');
  expect(rerun).toHaveBeenCalledWith('failedStep');
});

test('a creation that failed is re-run or, once asked, discarded', async () => {
  expect(await show('NOT_CREATED', runIn('FAILED', 'CreateRegistryProject'))).toContain('Re-run');
  await press('Discard');
  expect(discard.run).not.toHaveBeenCalled();
  await act(() => vi.waitFor(() => expect(document.querySelector('[role=alertdialog]')).not.toBeNull(), { timeout: 20_000 }));
  await press('Discard berth');
  expect(discard.run).toHaveBeenCalledOnce();
});
