/** The first token of a new service account is not lost by closing its dialog. */
import type { Team } from '@slipway/contract/team.ts';
import { act } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { createMemoryRouter } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { afterEach, expect, test, vi } from 'vitest';
import { ServiceAccountDialog } from './ServiceAccountDialog.tsx';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
vi.mock(import('#kit/api/call.ts'), () => ({
  call: (async () => ({ identity: { displayName: 'ci' }, token: { token: 'sw_1' } })) as never,
}));

let root: Root;
afterEach(() => act(async () => root.unmount()));
const says = (text: string) => expect.poll(() => document.body.textContent).toContain(text);
const press = (label: string) =>
  act(async () => [...document.querySelectorAll('button')].find(({ textContent }) => textContent === label)?.click());

test('Done and Escape ask before a token that was not copied is lost', async () => {
  const onClose = vi.fn();
  document.body.innerHTML = '<div id="root"></div>';
  root = createRoot(document.getElementById('root') as HTMLElement);
  const team = { id: 'cranes', displayName: 'Cranes' } as Team;
  const router = createMemoryRouter([{ path: '*', element: <ServiceAccountDialog team={team} onClose={onClose} /> }]);
  await act(async () => root.render(<RouterProvider router={router} />));
  const name = document.querySelector('input') as HTMLInputElement;
  await act(async () => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(name, 'ci');
    name.dispatchEvent(new Event('input', { bubbles: true }));
  });
  await act(async () => document.querySelector('form')?.requestSubmit());
  await says('sw_1');
  await press('Done');
  await says('Leave without copying the secret?');
  await press('Stay here');
  await expect.poll(() => document.body.textContent).not.toContain('Leave without copying');
  await act(async () => document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true })));
  await says('Leave without copying the secret?');
  expect(onClose).not.toHaveBeenCalled();
  await press('Close without copying');
  expect(onClose).toHaveBeenCalledOnce();
});
