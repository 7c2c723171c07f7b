/** The tray counts what is unread, groups it, and marks a notice as read when it is opened. */
import { noticeList, noticeUpdate, type NoticePage } from '@slipway/contract/notification/notice.ts';
import { act } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { createMemoryRouter } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { UiProvider } from '@slipway/ui/layout/UiProvider.tsx';
import { SWRConfig } from 'swr';
import { afterEach, expect, test, vi } from 'vitest';
import { RouterLink } from '#app/RouterLink.tsx';
import { NoticeMenu, unreadWord } from './NoticeMenu.tsx';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
const asked: [string, unknown][] = [];
let page: NoticePage;
vi.mock(import('#kit/api/call.ts'), () => ({
  call: (async (route: { id: string }, input: unknown) => {
    asked.push([route.id, input]);
    return route.id === noticeList.id ? page : undefined;
  }) as never,
}));
vi.mock(import('#kit/later/page-ready.ts'), async (original) => ({
  ...(await original()),
  whenPageReady: (run: () => void) => {
    run();
    return () => undefined;
  },
}));

let root: Root;
afterEach(() => act(async () => root.unmount()));
const notice = (id: string, more: object = {}) => ({
  id,
  type: 'pipeline.failed',
  title: `Notice ${id}`,
  detail: 'Detail',
  path: `/app/${id}`,
  needsYou: false,
  tone: 'bad' as const,
  count: 1,
  at: '2026-11-24T10:00:00.000Z',
  isRead: false,
  ...more,
});
const show = async (shown: NoticePage): Promise<ReturnType<typeof createMemoryRouter>> => {
  page = shown;
  asked.length = 0;
  document.body.innerHTML = '<div id="root"></div>';
  root = createRoot(document.getElementById('root') as HTMLElement);
  const element = (
    <UiProvider link={RouterLink}>
      <NoticeMenu />
    </UiProvider>
  );
  const router = createMemoryRouter([{ path: '*', element }]);
  await act(async () =>
    root.render(
      <SWRConfig value={{ provider: () => new Map() }}>
        <RouterProvider router={router} />
      </SWRConfig>,
    ),
  );
  return router;
};
const bell = (): HTMLElement => document.querySelector('button[aria-label^="Notifications"]') as HTMLElement;
const open = async (): Promise<void> => {
  await act(async () => void (await import('@slipway/ui/overlay/Menu.tsx')));
  await act(async () => bell().click());
  await expect.poll(() => document.querySelectorAll('[role=menuitem]').length).toBeGreaterThan(0);
};
const items = (): (string | null)[] => [...document.querySelectorAll('[role=menuitem]')].map(({ textContent }) => textContent);

test('the bell says how many are new; the tray groups them, and opening one marks it as read', async () => {
  const router = await show({
    content: [notice('one'), notice('two', { needsYou: true }), notice('old', { isRead: true })],
    unread: 2,
    next: null,
  });
  await expect.poll(() => bell().getAttribute('aria-label')).toBe('Notifications, 2 new');
  await open();
  expect(items().map((text) => text?.replace(/Detail$/, '').slice(0, 16))).toEqual([
    'Notice two (new)',
    'Notice one (new)',
    expect.stringMatching(/^Notice old/),
    'All notification',
    'Mark all read',
    'Notification set',
  ]);
  expect(document.body.textContent).toMatch(/Needs you.*Good to know/s);
  await act(async () => (document.querySelectorAll('[role=menuitem]')[1] as HTMLElement).click());
  await expect.poll(() => asked).toContainEqual([noticeUpdate.id, { params: { notice: 'one' }, body: { state: 'READ' } }]);
  expect(router.state.location.pathname).toBe('/app/one');
});

test('without notices the bell is quiet, and the tray says so', async () => {
  await show({ content: [], unread: 0, next: null });
  await expect.poll(() => asked.length).toBe(1);
  expect(bell().getAttribute('aria-label')).toBe('Notifications');
  await open();
  expect(document.body.textContent).toContain('Nothing new');
  expect(items()).toEqual(['All notifications', 'Notification settings']);
});

test.each([
  [99, '99'],
  [100, '99+'],
])('%i unread are shown as %s', (unread, word) => {
  expect(unreadWord(unread)).toBe(word);
});
