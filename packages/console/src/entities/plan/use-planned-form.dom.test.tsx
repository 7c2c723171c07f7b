import type { Plan, PlanOrRun } from '@slipway/contract/pipeline/plan.ts';
import type { PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { act } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { createMemoryRouter } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import * as z from 'zod/mini';
import { ResponseError } from '#kit/api/errors.ts';
import { clearError, useGlobalError } from '#kit/error/global-error.ts';
import { Form } from '#kit/form/Form.tsx';
import { TextField } from '#kit/form/TextField.tsx';
import { usePlannedForm } from './use-planned-form.ts';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });

const plan: Plan = {
  isPlan: true,
  pipelineType: 'CreateService',
  changes: [],
  consequences: [],
  warnings: [],
  steps: [],
  usualMs: null,
  image: null,
  secretVersions: [],
};
const run = { pipelineId: 'pl_1' } as PipelineRun;

type Send = (values: { name: string }, isDryRun: boolean) => Promise<PlanOrRun | undefined>;
const started = vi.fn<(pipelineId: string) => void>();

function TestForm({ send }: { send: Send }) {
  const {
    form,
    plan: shown,
    confirm,
    dismiss,
    isStarted,
  } = usePlannedForm({
    schema: z.object({ name: z.string().check(z.minLength(1, { error: 'Required' })) }),
    defaultValues: { name: 'berth-api' },
    labels: { name: 'Service name' },
    send,
    onStarted: ({ pipelineId }) => started(pipelineId),
  });
  const error = useGlobalError();
  return (
    <Form form={form} hasGuard={false}>
      <TextField form={form} name="name" />
      <output>{[shown ? 'plan' : 'form', isStarted() ? 'started' : 'idle', error ? 'banner' : ''].join(' ').trim()}</output>
      <button type="button" id="confirm" onClick={() => void confirm()}>
        Confirm
      </button>
      <button type="button" id="dismiss" onClick={dismiss}>
        Back
      </button>
    </Form>
  );
}

let root: Root;
beforeEach(() => {
  document.body.innerHTML = '<div id="root"></div>';
  started.mockClear();
});
afterEach(() =>
  act(async () => {
    clearError();
    root.unmount();
  }),
);
const open = async (send: Send): Promise<void> => {
  const router = createMemoryRouter([{ path: '/', element: <TestForm send={send} /> }]);
  root = createRoot(document.getElementById('root') as HTMLElement);
  await act(async () => root.render(<RouterProvider router={router} />));
};
const submit = () => act(async () => document.querySelector('form')?.requestSubmit());
const press = (id: string) => act(async () => document.getElementById(id)?.click());
const state = (): string => document.querySelector('output')?.textContent ?? '';
const nameTaken = new ResponseError(409, { status: 409, title: 'x', errors: [{ field: 'name', code: 'ServiceAlreadyExists' }] });
const fieldError = (): string => document.querySelector('[id$="-error"]')?.textContent ?? '';

test('the submit asks for the plan; confirming it sends the same values for good', async () => {
  const send = vi.fn<Send>(async (_values, isDryRun) => (isDryRun ? plan : run));
  await open(send);
  await submit();
  expect(state()).toBe('plan idle');
  expect(started).not.toHaveBeenCalled();
  await press('confirm');
  expect(send.mock.calls).toEqual([
    [{ name: 'berth-api' }, true],
    [{ name: 'berth-api' }, false],
  ]);
  expect(started).toHaveBeenCalledWith('pl_1');
});

test('back at the form the next submit is a dry run again', async () => {
  const send = vi.fn<Send>(async (_values, isDryRun) => (isDryRun ? plan : run));
  await open(send);
  await submit();
  await press('dismiss');
  expect(state()).toBe('form idle');
  await submit();
  expect(send.mock.calls.map(([, isDryRun]) => isDryRun)).toEqual([true, true]);
});

test('what comes between plan and action stands at its field, and nothing was started', async () => {
  await open(async (_values, isDryRun) => {
    if (isDryRun) return plan;
    throw nameTaken;
  });
  await submit();
  await press('confirm');
  expect(state()).toBe('form idle');
  expect(fieldError()).toBe('Service already exists');
  expect(started).not.toHaveBeenCalled();
});

test('a refusal that the page tells itself opens no plan and no banner', async () => {
  await open(async () => undefined);
  await submit();
  expect(state()).toBe('form idle');
});

test('what belongs to no field is the page’s', async () => {
  await open(async () => {
    throw new ResponseError(409, { status: 409, title: 'Busy', errors: [{ code: 'DeployPipelineAlreadyRunning' }] });
  });
  await submit();
  expect(state()).toBe('form idle banner');
});
