/** The panel “People who left”: it needs a person, asks first, and says when the company directory decides otherwise. */
import { toast } from '@slipway/ui/overlay/toast.ts';
import { act } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { createMemoryRouter } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ConfirmHost } from '#kit/confirm/ConfirmHost.tsx';
import { PeopleStanding } from './PeopleStanding.tsx';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
const ingrid = { id: 'ingrid', displayName: 'Ingrid Solheim', email: 'ingrid@example.test', type: 'USER' } as const;
const standing = vi.fn<(input: unknown) => { id: string; active: boolean }>();
vi.mock(import('#kit/api/call.ts'), async (original) => ({
  ...(await original()),
  call: (async ({ id }: { id: string }, input: unknown) =>
    id === 'identityStandingSet' ? standing(input) : { id: 'ada', displayName: 'Ada Administrator', isAdministrator: true }) as never,
}));
// Its own test covers the search. Here it finds one person.
vi.mock(import('#entities/team/index.ts'), async (original) => ({
  ...(await original()),
  PersonSearch: ({ taken, chosen, error, onAdd }) => (
    <div>
      <button onClick={() => onAdd(ingrid)}>Find Ingrid</button>
      <p>{`chosen: ${chosen?.displayName ?? 'nobody'}, not offered: ${[...taken].join()}, ${error ?? 'no error'}`}</p>
    </div>
  ),
}));

let root: Root;
const success = vi.spyOn(toast, 'success');
const failure = vi.spyOn(toast, 'failure');
beforeEach(async () => {
  vi.clearAllMocks();
  document.body.innerHTML = '<div id="root"></div>';
  root = createRoot(document.getElementById('root') as HTMLElement);
  const element = (
    <>
      <PeopleStanding />
      <ConfirmHost />
    </>
  );
  const router = createMemoryRouter([{ path: '*', element }]);
  await act(async () => root.render(<RouterProvider router={router} />));
});
afterEach(() => act(async () => root.unmount()));

const says = (text: string) => expect.poll(() => document.body.textContent).toContain(text);
/** The last button of the name is the one of an open dialog. */
const press = (label: string) =>
  act(async () => [...document.querySelectorAll('button')].findLast(({ textContent }) => textContent === label)?.click());

test('asks for a person first, and offers everybody but the administrator', async () => {
  await says('not offered: ada');
  await press('Deactivate');
  await says('Person is required');
  await press('Find Ingrid');
  await says('no error');
  expect(standing).not.toHaveBeenCalled();
});

test.each([
  [false, 'Deactivate', 'Sessions and tokens stop working immediately.', 'Ingrid Solheim is deactivated'],
  [true, 'Reactivate', 'Sign-in, tokens, teams and ownership work again.', 'Ingrid Solheim is active again'],
])('sends active: %s once it is confirmed', async (active, label, consequence, said) => {
  standing.mockReturnValue({ id: 'ingrid', active });
  await press('Find Ingrid');
  await press(label);
  await says(`${label} Ingrid Solheim?`);
  await says(consequence);
  expect(standing).not.toHaveBeenCalled();
  await press(label);
  await expect.poll(() => success.mock.calls).toEqual([[said]]);
  expect(standing.mock.calls).toEqual([[{ params: { identityId: 'ingrid' }, body: { active } }]]);
  await says('chosen: nobody');
});

test('says that the company directory decides, if it knows better', async () => {
  standing.mockReturnValue({ id: 'ingrid', active: true });
  await press('Find Ingrid');
  await press('Deactivate');
  await says('Deactivate Ingrid Solheim?');
  await press('Deactivate');
  await expect.poll(() => failure.mock.calls).toEqual([['Your company directory decides whether Ingrid Solheim is active']]);
  expect(success).not.toHaveBeenCalled();
});
