/** Importing a pasted secrets file: the dialog and its parsers load on demand, preview the changes, and fill the form. */
import { act } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { createMemoryRouter } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { useApiForm } from '#kit/form/use-api-form.ts';
import { EntriesEditor } from './EntriesEditor.tsx';
import { emptyRow } from './entry-rows.ts';
import { groupLabels, newGroupSchema } from './group-form.ts';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });

const defaultValues = { name: 'orders', autoAttach: false, entries: [{ ...emptyRow, key: 'DB_URL', value: 'old' }] };
function Page() {
  const form = useApiForm({ schema: newGroupSchema, defaultValues, labels: groupLabels, onSubmit: () => {} });
  return <EntriesEditor form={form} />;
}

let root: Root;
beforeEach(async () => {
  document.body.innerHTML = '<div id="root"></div>';
  root = createRoot(document.getElementById('root') as HTMLElement);
  const router = createMemoryRouter([{ path: '/', element: <Page /> }]);
  await act(async () => root.render(<RouterProvider router={router} />));
});
afterEach(() => act(async () => root.unmount()));

const dialog = (): HTMLElement | null => document.querySelector('[role=dialog]');
const button = (label: RegExp): HTMLButtonElement | undefined =>
  [...document.querySelectorAll('button')].find(({ textContent }) => label.test(textContent ?? ''));
const press = (label: RegExp) => act(async () => button(label)?.click());
/** React listens to the native setter, so the test sets the value through that setter. */
const paste = (text: string) =>
  act(async () => {
    const area = dialog()?.querySelector('textarea');
    Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')?.set?.call(area, text);
    area?.dispatchEvent(new Event('input', { bubbles: true }));
  });
const keys = (): string[] => [...document.querySelectorAll<HTMLInputElement>('#root ul input')].map(({ value }) => value);

test('YAML is read in the browser, by its lines, and used', { timeout: 60_000 }, async () => {
  await press(/^Paste or choose a file$/);
  // Waits for the dialog's lazy chunk.
  await expect.poll(() => act(async () => dialog()), { timeout: 30_000 }).not.toBeNull();
  await paste('DB_URL: postgres://u:p@h/d\nPORT: 8080\nHOSTS: [a, b]\n');
  expect(dialog()?.textContent).toContain('1 added, 1 changed, 0 the same');
  expect(dialog()?.textContent).toContain('Line 3, HOSTS: Line 3: only flat keys with texts, numbers, true and false can be read');
  await press(/^Use 2 keys$/);
  expect(dialog()).toBeNull();
  expect(keys()).toEqual(expect.arrayContaining(['DB_URL', 'PORT']));
});
