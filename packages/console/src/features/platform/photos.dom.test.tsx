/** Profile photos: a person's own page, and the administrator's panel. */
import { toast } from '@slipway/ui/overlay/toast.ts';
import { act, type ReactNode } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { createMemoryRouter } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { PeoplePhotos } from './PeoplePhotos.tsx';
import { Component as ProfilePage } from './ProfilePage.tsx';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
const written = vi.fn<(route: string, input: unknown) => undefined>();
vi.mock(import('#kit/api/call.ts'), async (original) => ({
  ...(await original()),
  call: (async ({ id }: { id: string }, input: unknown) =>
    id === 'meView' ? { id: 'ingrid', displayName: 'Ingrid Solheim', email: null, type: 'USER' } : written(id, input)) as never,
  send2xx: (async () => new Response(new Uint8Array(400))) as never,
}));
// Its own test covers the search. Here it finds one person.
vi.mock(import('#entities/team/index.ts'), async (original) => ({
  ...(await original()),
  PersonSearch: ({ error, onAdd }) => (
    <div>
      <button onClick={() => onAdd({ id: 'rahul', displayName: 'Rahul', email: null, type: 'USER' })}>Find Rahul</button>
      <p>{error}</p>
    </div>
  ),
}));

let root: Root;
const failed = vi.spyOn(toast, 'failure');
const succeeded = vi.spyOn(toast, 'success');
beforeEach(() => {
  vi.clearAllMocks();
  // Canvas and image decoding are the browser's.
  vi.stubGlobal('createImageBitmap', async (file: File) => {
    if (file.type !== 'image/png') throw new Error('cannot be decoded');
    return { width: 40, height: 20 };
  });
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue(null);
  vi.spyOn(HTMLCanvasElement.prototype, 'toDataURL').mockReturnValue('data:image/jpeg;base64,SU1BR0U=');
});
afterEach(() => act(async () => root.unmount()));
const open = async (element: ReactNode): Promise<void> => {
  document.body.innerHTML = '<div id="root"></div>';
  root = createRoot(document.getElementById('root') as HTMLElement);
  await act(async () => root.render(<RouterProvider router={createMemoryRouter([{ path: '*', element }])} />));
};
const press = (label: string) =>
  act(async () => [...document.querySelectorAll('button')].find(({ textContent }) => textContent === label)?.click());
const choose = (name: string, type: string) =>
  act(async () => {
    const input = document.querySelector<HTMLInputElement>('input[type=file]');
    Object.defineProperty(input, 'files', { value: [new File(['x'], name, { type })], configurable: true });
    Object.defineProperty(input, 'value', { value: '', writable: true, configurable: true });
    input?.dispatchEvent(new Event('change', { bubbles: true }));
  });
const shown = () =>
  document.querySelector('img')?.getAttribute('src') ?? document.querySelector('[data-initials]')?.getAttribute('data-initials');

test('a photo of at most 500 bytes shows initials, a chosen one is cut, stored and shown, and removed', async () => {
  await open(<ProfilePage />);
  await expect.poll(shown).toBe('IS');
  await choose('me.png', 'image/png');
  await expect.poll(() => succeeded.mock.calls).toEqual([['Your photo is saved']]);
  expect(written.mock.calls).toEqual([['mePhotoSet', { body: { photo: 'SU1BR0U=' } }]]);
  expect(shown()).toBe('data:image/jpeg;base64,SU1BR0U=');
  await press('Remove the photo');
  await expect.poll(shown).toBe('IS');
  expect(written).toHaveBeenLastCalledWith('mePhotoSet', { body: { photo: null } });
});

test('a file that is no image is refused before it is sent', async () => {
  await open(<ProfilePage />);
  await choose('notes.txt', 'text/plain');
  await expect.poll(() => failed.mock.calls).toEqual([['notes.txt is not an image that this browser can read']]);
  expect(written).not.toHaveBeenCalled();
});

test('an administrator chooses the person first', async () => {
  await open(<PeoplePhotos />);
  await press('Remove the photo');
  expect(document.body.textContent).toContain('Person is required');
  await press('Find Rahul');
  await choose('rahul.png', 'image/png');
  await expect.poll(() => succeeded.mock.calls).toEqual([['The photo of Rahul is saved']]);
  expect(written.mock.calls).toEqual([['identityPhotoSet', { params: { identityId: 'rahul' }, body: { photo: 'SU1BR0U=' } }]]);
});
