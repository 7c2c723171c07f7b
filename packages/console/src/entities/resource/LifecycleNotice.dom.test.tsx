/** The lifecycle notice: Re-run for failures, including deletions, and Discard for resources that were never created. */
import type { PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { act } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { createMemoryRouter } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { SWRConfig } from 'swr';
import { afterEach, expect, test, vi } from 'vitest';
import { LifecycleNotice, type LifecycleNoticeProps } from './LifecycleNotice.tsx';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
let latest: PipelineRun | undefined;
const asked = vi.fn<(id: string, input: unknown) => void>();
vi.mock(import('#kit/api/call.ts'), () => ({
  call: (async ({ id }: { id: string }, input: unknown) => {
    asked(id, input);
    return id === 'pipelineList' ? { content: latest ? [latest] : [] } : latest;
  }) as never,
}));

const subject = { kind: 'app', names: { app: 'berth' } };
const runIn = (state: string, code = 'DeleteRegistryProject', type = 'DeleteApplication', key = 'app:berth'): PipelineRun =>
  ({
    pipelineId: 'pl_1',
    pipelineType: type,
    subject: { ...subject, name: 'berth', key },
    can: { rerun: true, cancel: true },
    facts: {},
    statusMessage: null,
    status: {
      state,
      steps: [
        {
          code: 'DeleteRepositories',
          name: 'Delete repositories',
          state: 'COMPLETED',
          message: null,
          startedAt: '1',
          isPointOfNoReturn: type[0] === 'D',
        },
        {
          code,
          name: code,
          state: state === 'FAILED' ? 'FAILED' : 'PENDING',
          message: { code: 'EngineUnavailable', context: { engine: 'registry', attempt: '3' } },
          startedAt: '1',
          isPointOfNoReturn: false,
        },
      ],
    },
  }) as never;

const discard = vi.fn();
let root: Root;
afterEach(() => act(async () => root.unmount()));
const show = async (
  state: LifecycleNoticeProps['state'],
  run?: PipelineRun,
  pipelineId?: string,
  showsFailedChange = false,
): Promise<string> => {
  document.body.innerHTML = '<div id="root"></div>';
  latest = run;
  asked.mockClear();
  discard.mockClear();
  root = createRoot(document.getElementById('root') as HTMLElement);
  const known = pipelineId === undefined ? {} : { pipelineId };
  const element = (
    <SWRConfig value={{ provider: () => new Map() }}>
      <LifecycleNotice
        noun="app"
        subject={subject}
        state={state}
        can={{ delete: true }}
        team="Cranes"
        onDiscard={discard}
        showsFailedChange={showsFailedChange}
        {...known}
      />
    </SWRConfig>
  );
  await act(async () => root.render(<RouterProvider router={createMemoryRouter([{ path: '/', element }])} />));
  await act(async () => {});
  return document.getElementById('root')?.textContent ?? '';
};
/** Waits for the failure's code, which loads with the first failure. */
const showFailure = async (...what: Parameters<typeof show>): Promise<string> => {
  await show(...what);
  await vi.waitFor(
    async () => {
      await act(async () => {});
      expect(document.body.textContent).toContain('View pipeline');
    },
    { timeout: 20_000 },
  );
  return document.body.textContent ?? '';
};
const press = (label: RegExp) =>
  act(async () => [...document.querySelectorAll('button')].find(({ textContent }) => label.test(textContent ?? ''))?.click());

test('nothing is said of what is there', async () => {
  expect(await show('ACTIVE', runIn('COMPLETED', 'CreateRegistryProject', 'CreateApplication'))).toBe('');
});

test('a deletion under way is said; one that failed is re-run, and cannot be discarded', { timeout: 30_000 }, async () => {
  expect(await show('DELETING', runIn('RUNNING'))).toContain('This app is being deleted');
  expect(asked).toHaveBeenCalledWith('pipelineList', { query: { subject: 'app:berth', size: 1 } });
  await act(async () => root.unmount());
  const text = await showFailure('DELETING', runIn('FAILED'));
  expect(text).toContain('There is no way back');
  expect(text).not.toContain('No action needed');
  expect(text).not.toContain('Discard');
  await press(/^Re-run/);
  expect(asked).toHaveBeenCalledWith('pipelineRerun', { params: { pipelineId: 'pl_1' }, body: { from: 'failedStep' } });
});

test('a deletion that failed is said of what is there again; that of a part is not', async () => {
  expect(await showFailure('ACTIVE', runIn('FAILED'))).toMatch(/failed.*Re-run from DeleteRegistryProject.*View pipeline/s);
  await act(async () => root.unmount());
  expect(await show('ACTIVE', runIn('FAILED', 'DeleteRevision', 'DeleteRevision', 'revision:berth/development/berth/berth-2'))).toBe('');
});

test('a change that failed is said where the page asks for it, with Re-run', async () => {
  const run = runIn('FAILED', 'ApplySettings', 'UpdateTopic');
  expect(await show('ACTIVE', run)).toBe('');
  await act(async () => root.unmount());
  expect(await showFailure('ACTIVE', run, undefined, true)).toMatch(/failed.*Re-run from ApplySettings.*View pipeline/s);
  await act(async () => root.unmount());
  expect(await show('ACTIVE', runIn('COMPLETED', 'ApplySettings', 'UpdateTopic'), undefined, true)).toBe('');
});

test('a creation that failed is re-run or, once asked, discarded', async () => {
  expect(await showFailure('NOT_CREATED', runIn('FAILED', 'CreateRegistryProject', 'CreateApplication'), 'pl_1')).toContain('Re-run');
  expect(asked).toHaveBeenCalledWith('pipelineView', { params: { pipelineId: 'pl_1' } });
  await press(/^Discard$/);
  expect(discard).toHaveBeenCalledOnce();
});

test('a creation that was cancelled says so, with the same two ways on', async () => {
  const text = await show('NOT_CREATED', runIn('CANCELED', 'CreateRegistryProject', 'CreateApplication'), 'pl_1');
  expect(text).toMatch(/This app was not created: its pipeline was cancelled.*Re-run.*Discard.*View pipeline/s);
});
