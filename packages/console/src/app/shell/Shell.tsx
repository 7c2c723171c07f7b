/** The frame of every page: skip link, header, banners, errors, the page, footer. */
import { preloadPopups } from '@slipway/ui/overlay/popup-loader.ts';
import { SkipLink } from '@slipway/ui/layout/SkipLink.tsx';
import { UiProvider } from '@slipway/ui/layout/UiProvider.tsx';
import { Suspense, useEffect, useRef } from 'react';
import { Outlet, ScrollRestoration, useLocation, type Location } from 'react-router';
import { clearError, useGlobalError } from '#kit/error/global-error.ts';
import { ConfirmHost, loadConfirm } from '#kit/confirm/ConfirmHost.tsx';
import { FollowQuickstarts } from './FollowQuickstarts.tsx';
import { LoadFeatures } from './LoadFeatures.tsx';
import { paletteWanted } from '#app/palette/palette-wanted.ts';
import { lazyPart } from '#kit/later/lazy-part.ts';
import { pageReady, whenPageReady } from '#kit/later/page-ready.ts';
import { NavigationProgress } from './NavigationProgress.tsx';
import { NotificationBanners } from './NotificationBanners.tsx';
import { prefetch } from '#app/prefetch.ts';
import { RouterLink } from '#app/RouterLink.tsx';
import css from './Shell.module.css';
import { ShellFooter } from './ShellFooter.tsx';
import { ShellHeader } from './ShellHeader.tsx';
import { WindowTitle } from './WindowTitle.tsx';

const mainId = 'main';

/** Loaded beside the first page, to keep the start small. */
const ErrorBanner = lazyPart(async () => (await import('#kit/error/ErrorBanner.tsx')).ErrorBanner, PlainError);
/** For a page whose network was away when the banner was to load. */
function PlainError() {
  const { error } = useGlobalError() ?? {};
  return error === undefined ? null : <p role="alert">{error instanceof Error ? error.message : 'Unknown error'}</p>;
}

/** Loaded right after the first screen: few users press a key earlier. */
const Shortcuts = lazyPart(
  async () => {
    await paletteWanted();
    return (await import('#app/palette/Shortcuts.tsx')).Shortcuts;
  },
  () => null,
);

/** Loaded after the first screen. */
const OutsideParts = lazyPart(
  async () => {
    await pageReady;
    return (await import('../outside/OutsideParts.tsx')).OutsideParts;
  },
  () => null,
);

/** The most likely next pages, prefetched; others load when a link is hovered. */
const nextPages = [
  '/my-apps',
  '/my-teams',
  '/app/a/development',
  '/app/a/development/service/s',
  '/app/a/development/service/s/pipeline/p',
];

/** Moves the focus to the new page if the old page removed the focused element. A link in the header keeps the focus. */
const keepFocus = (): void => {
  const { activeElement } = document;
  if (activeElement === null || activeElement === document.body) document.getElementById(mainId)?.focus({ preventScroll: true });
};

/** A window's first page has no key. Without its path it would get the scroll position of the window's previous page. */
const scrollKey = ({ key, pathname }: Location): string => (key === 'default' ? pathname : key);

export function Shell() {
  const { pathname } = useLocation();
  const shown = useRef(pathname);
  useEffect(() => {
    if (shown.current === pathname) return;
    shown.current = pathname;
    clearError();
    keepFocus();
  }, [pathname]);
  useEffect(
    () =>
      whenPageReady(() => {
        preloadPopups();
        void loadConfirm().catch(() => undefined);
        nextPages.forEach(prefetch);
      }),
    [],
  );
  return (
    // Inside the router, because messages contain links too.
    <UiProvider link={RouterLink}>
      <SkipLink target={mainId} />
      <NavigationProgress />
      <ShellHeader />
      <NotificationBanners />
      <main id={mainId} tabIndex={-1} className={css.main}>
        <Suspense>
          <ErrorBanner />
        </Suspense>
        <Outlet />
      </main>
      <ShellFooter />
      <ConfirmHost />
      <FollowQuickstarts />
      <LoadFeatures />
      <WindowTitle />
      <Suspense>
        <Shortcuts />
      </Suspense>
      <Suspense>
        <OutsideParts />
      </Suspense>
      <ScrollRestoration getKey={scrollKey} />
    </UiProvider>
  );
}
