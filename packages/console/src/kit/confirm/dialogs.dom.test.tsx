/** Dialogs show their own errors, once, and stay open; the page behind shows none. */
import { act } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { createMemoryRouter } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { afterEach, expect, test, vi } from 'vitest';
import * as z from 'zod/mini';
import { ResponseError } from '#kit/api/errors.ts';
import { ErrorBanner } from '#kit/error/ErrorBanner.tsx';
import { FormDialog } from '#kit/form/FormDialog.tsx';
import { useApiForm } from '#kit/form/use-api-form.ts';
import { confirmAction } from './confirm-action.ts';
import { ConfirmActionDialog } from './ConfirmActionDialog.tsx';
import { ShownOnce } from '#kit/page/ShownOnce.tsx';
import { UnsavedGuard } from '#kit/page/UnsavedGuard.tsx';
import { ConfirmHost } from './ConfirmHost.tsx';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
vi.mock(import('#kit/api/runtime-config.ts'), () => ({ runtimeConfig: () => ({ supportUrl: '' }) as never }));

const sentence = 'Team has applications and can not be deleted';
const refusal = () =>
  new ResponseError(409, {
    status: 409,
    title: 'Conflict',
    detail: sentence,
    traceId: 't1',
    errors: [{ code: 'TeamExistingApplications' }],
  });
const onClose = vi.fn();
let root: Root;
afterEach(() => act(async () => root.unmount()));

let router: ReturnType<typeof createMemoryRouter>;
const open = async (Page: () => React.ReactNode) => {
  document.body.innerHTML = '<div id="root"></div>';
  onClose.mockClear();
  root = createRoot(document.getElementById('root') as HTMLElement);
  const element = (
    <>
      <ErrorBanner />
      <Page />
    </>
  );
  router = createMemoryRouter([{ path: '*', element }]);
  await act(async () => root.render(<RouterProvider router={router} />));
};
const dialog = () => document.querySelector('[role=dialog], [role=alertdialog]')?.textContent ?? '';
const press = (label: string) =>
  act(async () => [...document.querySelectorAll('button')].find(({ textContent }) => textContent === label)?.click());
const times = (text: string): number => (document.body.textContent ?? '').split(text).length - 1;

test('a confirmed action that is refused', async () => {
  const run = vi.fn(async () => {
    throw refusal();
  });
  const action = { title: 'Delete cranes?', confirmLabel: 'Delete cranes', run };
  await open(() => <ConfirmActionDialog action={action} onClose={onClose} />);
  await press('Delete cranes');
  expect(dialog()).toContain(sentence);
  expect(dialog()).toContain('t1');
  expect(times(sentence)).toBe(1);
  expect(onClose).not.toHaveBeenCalled();
  run.mockResolvedValueOnce(undefined as never);
  await press('Delete cranes');
  expect(onClose).toHaveBeenCalledOnce();
});

/** Waits, because the dialog's code loads with the first question, and closing takes a moment. */
const dialogSays = (text: RegExp) =>
  vi.waitFor(
    async () => {
      await act(async () => {});
      expect(dialog()).toMatch(text);
    },
    { timeout: 20_000 },
  );
test('what a page asks is asked by the shell, and leaving the page takes it back', { timeout: 30_000 }, async () => {
  const run = vi.fn(async () => {
    throw refusal();
  });
  const ask = () => act(async () => confirmAction({ title: 'Revoke CI?', confirmLabel: 'Revoke token', run }));
  await open(() => <ConfirmHost />);
  await ask();
  await dialogSays(/Revoke CI\?/);
  await press('Revoke token');
  expect(dialog()).toContain(sentence);
  await press('Cancel');
  await dialogSays(/^$/);
  await ask();
  await dialogSays(/Revoke CI\?/);
  expect(dialog()).not.toContain(sentence);
  await act(() => router.navigate('/elsewhere'));
  await dialogSays(/^$/);
  expect(run).toHaveBeenCalledOnce();
});

function Edit() {
  const form = useApiForm({
    schema: z.object({ name: z.string() }),
    defaultValues: { name: 'x' },
    labels: { name: 'Name' },
    onSubmit: async () => {
      throw refusal();
    },
  });
  return (
    <FormDialog form={form} onClose={onClose} title="Edit" submitLabel="Save" busyLabel="Saving">
      <input name="name" />
    </FormDialog>
  );
}

test('a form that is refused', async () => {
  await open(Edit);
  await act(async () => document.querySelector('form')?.requestSubmit());
  expect(dialog()).toContain(sentence);
  expect(times(sentence)).toBe(1);
});

test('unsaved changes are discarded, or one stays', async () => {
  await open(() => <UnsavedGuard isDirty />);
  for (const [button, path] of [
    ['Stay here', '/'],
    ['Discard changes', '/elsewhere'],
  ] as const) {
    await act(() => router.navigate('/elsewhere'));
    await dialogSays(/Leave without saving\?/);
    await press(button);
    await dialogSays(/^$/);
    expect(router.state.location.pathname).toBe(path);
  }
});

const copyCommand = () => act(async () => document.querySelector<HTMLElement>('[aria-label="Copy command"]')?.click());

test('Done asks before a secret that was not copied is lost, and closes at once after a copy', { timeout: 30_000 }, async () => {
  vi.stubGlobal('navigator', { ...navigator, clipboard: { writeText: async () => {} } });
  await open(() => <ShownOnce title="The token of ci." secret="sw_1" onClose={onClose} />);
  await press('Done');
  await dialogSays(/Leave without copying the secret\?/);
  await press('Stay here');
  await dialogSays(/^$/);
  expect(onClose).not.toHaveBeenCalled();
  await press('Done');
  await press('Close without copying');
  expect(onClose).toHaveBeenCalledOnce();
  await copyCommand();
  await press('Done');
  expect(onClose).toHaveBeenCalledTimes(2);
  vi.unstubAllGlobals();
});

test('a secret that is shown once is not lost by leaving, unless it was copied', { timeout: 30_000 }, async () => {
  const writeText = vi.fn(async () => {});
  vi.stubGlobal('navigator', { ...navigator, clipboard: { writeText } });
  await open(() => <ShownOnce title="The token of ci." secret="sw_1" onClose={onClose} />);
  const reload = () => dispatchEvent(new Event('beforeunload', { cancelable: true }));
  await act(() => router.navigate('/elsewhere'));
  await dialogSays(/You can't view it again/);
  await press('Stay here');
  await dialogSays(/^$/);
  expect([router.state.location.pathname, reload()]).toEqual(['/', false]);
  await copyCommand();
  expect(writeText).toHaveBeenCalledWith('sw_1');
  expect(reload()).toBe(true);
  await act(() => router.navigate('/elsewhere'));
  expect([router.state.location.pathname, dialog()]).toEqual(['/elsewhere', '']);
  vi.unstubAllGlobals();
});
