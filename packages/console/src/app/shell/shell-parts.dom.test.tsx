/** Parts around every page: the feedback button, closed banners, and the text of a crash. */
import type { Banner, RuntimeConfig } from '@slipway/contract/platform.ts';
import { act, type ReactNode } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { MemoryRouter } from 'react-router';
import { afterEach, expect, test, vi } from 'vitest';
import { setRuntimeConfig } from '#kit/api/runtime-config.ts';
import { Crash } from '../CrashPage.tsx';
import { FeedbackButton } from '../outside/FeedbackButton.tsx';
import { OutsideParts } from '../outside/OutsideParts.tsx';
import { NotificationBanners } from './NotificationBanners.tsx';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
vi.mock(import('#kit/api/call.ts'), async (original) => ({
  ...(await original()),
  call: (async () => ({ id: 'ingrid', email: 'ingrid@example.com' })) as never,
}));

let root: Root;
const show = async (node: ReactNode, config: Partial<RuntimeConfig>): Promise<void> => {
  setRuntimeConfig({ supportUrl: '', ...config } as RuntimeConfig);
  document.body.innerHTML = '<div id="root"></div>';
  root = createRoot(document.getElementById('root') as HTMLElement);
  await act(async () => root.render(<MemoryRouter>{node}</MemoryRouter>));
};
afterEach(async () => {
  await act(async () => root.unmount());
  vi.useRealTimers();
  localStorage.clear();
});
const text = (): string => document.body.textContent ?? '';

test('the feedback button comes after 1000 ms and passes the e-mail address on', async () => {
  vi.useFakeTimers();
  await show(<FeedbackButton />, { feedbackUrl: 'https://forms.example.com/slipway' });
  await act(async () => vi.advanceTimersByTimeAsync(999));
  expect(text()).not.toContain('Leave feedback');
  await act(async () => vi.advanceTimersByTimeAsync(1));
  expect(document.querySelector('a')?.href).toBe('https://forms.example.com/slipway?email=ingrid%40example.com');
});

/** Scripts of other origins are not loaded here. */
const { settings } = (globalThis as unknown as { happyDOM: { settings: { handleDisabledFileLoadingAsSuccess: boolean } } }).happyDOM;

test('the feedback page is the way out of a widget whose script does not load', async () => {
  vi.useFakeTimers();
  settings.handleDisabledFileLoadingAsSuccess = false;
  const urls = { feedbackUrl: 'https://forms.example.com/slipway', feedbackScriptUrl: 'https://widget.example.com/gone.js' };
  await show(<FeedbackButton />, urls);
  await act(async () => vi.advanceTimersByTimeAsync(1000));
  expect(document.querySelector('a')?.href).toBe('https://forms.example.com/slipway?email=ingrid%40example.com');
});

test('the feedback widget is loaded after 1000 ms with the e-mail address, and the button opens it', async () => {
  vi.useFakeTimers();
  settings.handleDisabledFileLoadingAsSuccess = true;
  const opened = vi.fn<(event: Event) => void>();
  addEventListener('slipway:feedback', opened);
  const script = () => document.querySelector<HTMLScriptElement>('script[src="https://widget.example.com/w.js"]');
  await show(<FeedbackButton />, { feedbackUrl: null, feedbackScriptUrl: 'https://widget.example.com/w.js' });
  await act(async () => vi.advanceTimersByTimeAsync(999));
  expect(script()).toBeNull();
  await act(async () => vi.advanceTimersByTimeAsync(1));
  expect(script()?.dataset['email']).toBe('ingrid@example.com');
  document.querySelector<HTMLElement>('aside button')?.click();
  expect(opened).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ detail: { email: 'ingrid@example.com' } }));
});

test.each([
  [null, 0],
  [{ scriptUrl: 'https://rum.example.com/tag.js', projectId: 'pier-7' }, 1],
])('session analytics starts if a project is configured: %j', async (analytics, count) => {
  await show(<OutsideParts />, { analytics, feedbackUrl: null });
  expect(document.querySelectorAll('script[src="https://rum.example.com/tag.js"][data-project-id="pier-7"]')).toHaveLength(count);
});

test('a closed banner stays closed under a key of its id, and the others stay open', async () => {
  const banner: Omit<Banner, 'id' | 'header'> = { type: 'info', icon: null, message: '', ctas: [], enabled: true };
  const banners = [
    { ...banner, id: 'survey', header: 'Survey' },
    { ...banner, id: 'works', header: 'Works' },
  ];
  await show(<NotificationBanners />, { banners });
  await act(async () => document.querySelector<HTMLElement>('[aria-label="Close: Survey"]')?.click());
  expect(Object.keys(localStorage)).toEqual([expect.stringContaining('banner-survey')]);
  await act(async () => root.unmount());
  await show(<NotificationBanners />, { banners });
  expect(text()).not.toContain('Survey');
  expect(text()).toContain('Works');
});

test('a crash says so, and advises to reload and whom to contact', async () => {
  await show(<Crash />, { supportUrl: 'https://support.example.com' });
  expect(text()).toContain('Looks like something went wrong');
  expect(text()).toContain('Reload the page. If it happens again, contact the maintainers');
  expect(document.querySelector('a')?.href).toBe('https://support.example.com/');
});
