import { TeamCreate } from '@slipway/contract/team.ts';
import { act } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { createMemoryRouter } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FetchError, ResponseError } from '#kit/api/errors.ts';
import { clearError, useGlobalError } from '#kit/error/global-error.ts';
import { Form } from './Form.tsx';
import { TextField } from './TextField.tsx';
import { useApiForm } from './use-api-form.ts';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });

type Send = (values: unknown) => Promise<void>;
const values = { id: '', displayName: '', ownerIds: ['ingrid'], memberIds: [] as string[] };

function TestForm({ send }: { send: Send }) {
  const form = useApiForm({
    schema: TeamCreate,
    defaultValues: values,
    labels: { id: 'Team code', displayName: 'Team name' },
    serverFields: { code: 'id' },
    onSubmit: send,
  });
  const shown = useGlobalError();
  return (
    <Form form={form}>
      <TextField form={form} name="id" />
      <TextField form={form} name="displayName" />
      <button type="submit">Create</button>
      <output>{shown?.error instanceof Error ? String(shown.error.cause) : ''}</output>
    </Form>
  );
}

let root: Root;
beforeEach(() => {
  document.body.innerHTML = '<div id="root"></div>';
});
afterEach(async () => {
  await act(async () => {
    clearError();
    root.unmount();
  });
});

const open = async (send: Send): Promise<void> => {
  const router = createMemoryRouter([{ path: '/', element: <TestForm send={send} /> }]);
  root = createRoot(document.getElementById('root') as HTMLElement);
  await act(async () => root.render(<RouterProvider router={router} />));
};
const field = (name: string): HTMLInputElement => document.querySelector(`input[name=${name}]`) as HTMLInputElement;
const errorOf = (name: string): string => document.getElementById(`${field(name).id}-error`)?.textContent ?? '';
const type = (name: string, text: string) =>
  act(async () => {
    const input = field(name);
    // React overrides the element's value setter, so the test calls the prototype's setter.
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, text);
    input.dispatchEvent(new Event('input', { bubbles: true }));
  });
const submit = () => act(async () => document.querySelector('form')?.requestSubmit());
const globalError = (): string => document.querySelector('output')?.textContent ?? '';

test('nothing is said before the first submit; then every error, and the first field has the focus', async () => {
  const send = vi.fn<Send>(async () => undefined);
  await open(send);
  await type('id', 'No Code!');
  expect(errorOf('id')).toBe('');
  await submit();
  expect(errorOf('id')).toBe('Team code can only contain lowercase letters, numbers, and dashes');
  expect(errorOf('displayName')).toBe('Team name is required');
  expect(document.activeElement).toBe(field('id'));
  expect(send).not.toHaveBeenCalled();
});

test('after that each change validates again, and what is sent is what the schema made of it', async () => {
  const send = vi.fn<Send>(async () => undefined);
  await open(send);
  await submit();
  await type('id', 'cranes');
  expect(errorOf('id')).toBe('');
  await type('displayName', '  Cranes  ');
  await submit();
  expect(send).toHaveBeenCalledWith({
    id: 'cranes',
    displayName: 'Cranes',
    ownerIds: ['ingrid'],
    memberIds: [],
  });
});

test('limits are filled into the message', async () => {
  await open(vi.fn<Send>());
  await type('id', 'c');
  await submit();
  expect(errorOf('id')).toBe('Team code needs at least 2 characters');
});

const fill = async (): Promise<void> => {
  await type('id', 'cranes');
  await type('displayName', 'Cranes');
};

test('a server error of a field stands at the field, takes the focus, and goes with the next change', async () => {
  await open(async () => {
    throw new ResponseError(409, {
      status: 409,
      title: 'x',
      errors: [
        { field: 'id', code: 'TeamAlreadyExists' },
        { field: 'id', code: 'InvalidValue' },
      ],
    });
  });
  await fill();
  await submit();
  expect(errorOf('id')).toBe('Team already exists');
  expect(document.activeElement).toBe(field('id'));
  expect(globalError()).toBe('');
  await type('id', 'cranes-2');
  expect(errorOf('id')).toBe('');
});

test.each(['code', 'id.0', 'code.0.name'])('an error of the server’s field %s stands where the form has it', async (name) => {
  await open(async () => {
    throw new ResponseError(409, { status: 409, title: 'x', errors: [{ field: name, code: 'TeamAlreadyExists' }] });
  });
  await fill();
  await submit();
  expect(errorOf('id')).toBe('Team already exists');
  expect(globalError()).toBe('');
});

test.each([
  ['of no field', new ResponseError(409, { status: 409, title: 'Busy', errors: [{ code: 'WorkflowExecutionAlreadyStarted' }] }), 'Busy'],
  [
    'of a field that is not on screen',
    new ResponseError(400, { status: 400, title: 'Other', errors: [{ field: 'x', code: 'Required' }] }),
    'Other',
  ],
  ['of the network', new FetchError(new TypeError('away')), 'TypeError: away'],
])('an error %s is the page’s', async (_, error, expected) => {
  await open(async () => {
    throw error;
  });
  await fill();
  await submit();
  expect(globalError()).toBe(expected);
  expect(errorOf('id')).toBe('');
});
