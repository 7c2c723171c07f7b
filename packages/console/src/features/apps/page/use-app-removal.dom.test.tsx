/** The dialog that deletes an app waits for its name. */
import { act } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { createMemoryRouter } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { afterEach, expect, test, vi } from 'vitest';
import type { Application } from '@slipway/contract/application.ts';
import { ConfirmActionDialog } from '#kit/confirm/ConfirmActionDialog.tsx';
import { useAppRemoval } from './use-app-removal.ts';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
const sent = vi.fn<(route: string, input: unknown) => undefined>();
vi.mock(import('#kit/api/call.ts'), async (original) => ({
  ...(await original()),
  call: (async ({ id }: { id: string }, input: unknown) => sent(id, input)) as never,
}));

let root: Root;
afterEach(() => act(async () => root.unmount()));
function Page() {
  const { remove } = useAppRemoval({ id: 'berth' } as Application);
  return <ConfirmActionDialog action={remove} onClose={() => undefined} />;
}

test('an app is deleted once its name is typed', async () => {
  document.body.innerHTML = '<div id="root"></div>';
  root = createRoot(document.getElementById('root') as HTMLElement);
  const router = createMemoryRouter([{ path: '*', element: <Page /> }]);
  await act(async () => root.render(<RouterProvider router={router} />));
  const press = () =>
    act(async () => [...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'Delete berth')?.click());
  const type = (text: string) =>
    act(async () => {
      const input = document.querySelector('input');
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, text);
      input?.dispatchEvent(new Event('input', { bubbles: true }));
    });
  await press();
  await type('bert');
  await press();
  expect(sent).not.toHaveBeenCalled();
  await type('berth');
  await press();
  expect(sent.mock.calls).toEqual([['applicationDelete', { params: { app: 'berth' } }]]);
});
