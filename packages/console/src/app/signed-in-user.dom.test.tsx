/** The header loads the signed-in user when the console starts. */
import type { RuntimeConfig } from '@slipway/contract/platform.ts';
import { act } from 'react';
import { createRoot } from 'react-dom/client';
import { createMemoryRouter } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { expect, test, vi } from 'vitest';
import { setRuntimeConfig } from '#kit/api/runtime-config.ts';
import { ShellHeader } from './shell/ShellHeader.tsx';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
const asked = vi.fn<(route: string, query: unknown) => void>();
vi.mock(import('#kit/api/call.ts'), async (original) => ({
  ...(await original()),
  call: (async ({ id }: { id: string }, { query }: { query?: unknown }) => {
    asked(id, query);
    return id === 'meView' ? { id: 'ingrid', displayName: 'Ingrid Solheim' } : { content: [], totalElements: 0, unread: 0, decide: 0 };
  }) as never,
  send2xx: (async ({ id }: { id: string }) => {
    asked(id, undefined);
    return new Response(new Uint8Array(600), { headers: { 'content-type': 'image/png' } });
  }) as never,
}));

test('on load it asks for the identity, for its teams, 100 at most, and for its photo, which it shows', async () => {
  setRuntimeConfig({ supportUrl: '', banners: [] } as unknown as RuntimeConfig);
  document.body.innerHTML = '<div id="root"></div>';
  const root = createRoot(document.getElementById('root') as HTMLElement);
  await act(async () => root.render(<RouterProvider router={createMemoryRouter([{ path: '*', element: <ShellHeader /> }])} />));
  await vi.waitFor(async () => {
    await act(async () => {});
    expect(asked.mock.calls).toContainEqual(['meView', undefined]);
    expect(asked.mock.calls).toContainEqual(['teamList', { identityId: 'ingrid', page: 0, size: 100 }]);
    expect(asked.mock.calls).toContainEqual(['mePhoto', undefined]);
    expect(document.querySelector('img')?.src).toMatch(/^data:image\/png;base64,/);
  });
  await act(async () => root.unmount());
});
