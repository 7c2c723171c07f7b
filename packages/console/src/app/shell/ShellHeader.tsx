/** The sticky header: logo, main sections, connection, pipelines, theme, account. */
import { meSessionsDelete } from '@slipway/contract/identity.ts';
import { Avatar } from '@slipway/ui/text/Avatar.tsx';
import { IconButton } from '@slipway/ui/form/IconButton.tsx';
import { Logo } from '@slipway/ui/layout/Logo.tsx';
import type { MenuItem } from '@slipway/ui/overlay/Menu.tsx';
import { ThemeToggle } from '@slipway/ui/layout/ThemeToggle.tsx';
import { Jump, Topbar, TopbarNav, type TopbarPlace } from '@slipway/ui/layout/Topbar.tsx';
import { useTheme, type Theme } from '@slipway/ui/use-theme.ts';
import {
  BookOpen,
  HeartPulse,
  House,
  Inbox,
  Keyboard,
  KeyRound,
  LayoutGrid,
  Library,
  LogOut,
  Menu as MenuIcon,
  MonitorOff,
  SunMoon,
  UserRound,
  Users,
  Workflow,
} from 'lucide-react';
import { useEffect } from 'react';
import { useLocation } from 'react-router';
import { useMe, useMyTeams, usePhoto } from '#entities/team/me.ts';
import { call } from '#kit/api/call.ts';
import { signOut } from '#kit/api/session.ts';
import { mayOpenTraces, reporting, supportContext } from '#kit/error/global-error.ts';
import { paths } from '#entities/paths.ts';
import { ConnectionState } from './ConnectionState.tsx';
import { LazyMenu } from '#kit/later/LazyMenu.tsx';
import { openPalette, openShortcuts } from '#app/palette/palette-state.ts';
import { preloadPalette } from '#app/palette/preload-palette.ts';
import { NoticeMenu } from './NoticeMenu.tsx';
import { PipelineMenu } from './PipelineMenu.tsx';
import { RequestsLink } from './RequestsLink.tsx';
import css from './ShellHeader.module.css';

/** An absolute URL, so that it opens in a new tab. */
const docs = (): string => new URL(paths.docs(), location.origin).href;

/** Returns the main section of a path. */
export const placeOf = (pathname: string): 'home' | 'apps' | 'teams' | 'catalog' | undefined => {
  if (/^\/(team|my-teams|all-teams|new-team)(\/|$)/.test(pathname)) return 'teams';
  if (pathname === '/') return 'home';
  if (/^\/(app\/|my-apps|all-apps|new-app)/.test(pathname)) return 'apps';
  if (/^\/catalogue(\/|$)/.test(pathname)) return 'catalog';
  return undefined;
};

export function ShellHeader() {
  const place = placeOf(useLocation().pathname);
  const places: TopbarPlace[] = [
    { label: 'Home', href: paths.home(), isCurrent: place === 'home' },
    { label: 'Apps', href: paths.myApps(), isCurrent: place === 'apps' },
    { label: 'Teams', href: paths.myTeams(), isCurrent: place === 'teams' },
    { label: 'Catalog', href: paths.catalog(), isCurrent: place === 'catalog' },
    { label: 'Docs', href: docs() },
  ];
  return (
    <Topbar logo={<Logo href={paths.home()} />} nav={<TopbarNav items={places} />}>
      <ConnectionState />
      <Jump onClick={openPalette} onPointerEnter={preloadPalette} onFocus={preloadPalette} />
      <PipelineMenu />
      <RequestsLink />
      <NoticeMenu />
      <ThemeToggle className="only-wide" />
      <AccountMenu />
      <PhoneMenu />
    </Topbar>
  );
}

/** Ends all sessions, and signs out here too, because the next call would redirect to the sign-in anyway. */
const signOutEverywhere = reporting(async () => {
  await call(meSessionsDelete, {});
  await signOut();
});

const useAccountItems = (): MenuItem[] => {
  const { data: me } = useMe();
  return [
    {
      heading: me ? (
        <span className={css.who}>
          <strong>{me.displayName}</strong>
          {me.email && <span className="meta">{me.email}</span>}
        </span>
      ) : (
        'Account'
      ),
    },
    { label: 'Requests', href: paths.requests(), icon: <Inbox aria-hidden="true" /> },
    { label: 'Profile', href: paths.profile(), icon: <UserRound aria-hidden="true" /> },
    { label: 'API tokens', href: paths.tokens(), icon: <KeyRound aria-hidden="true" /> },
    ...(me?.isAdministrator ? [{ label: 'Operations', href: paths.operations(), icon: <HeartPulse aria-hidden="true" /> }] : []),
    { label: 'Keyboard shortcuts', icon: <Keyboard aria-hidden="true" />, keys: '?', onSelect: openShortcuts },
    'line',
    { label: 'Sign out', icon: <LogOut aria-hidden="true" />, onSelect: () => void signOut() },
    { label: 'Sign out everywhere', icon: <MonitorOff aria-hidden="true" />, onSelect: () => void signOutEverywhere() },
  ];
};

function AccountMenu() {
  const { data: me } = useMe();
  const photo = usePhoto();
  // Loaded with the identity (specification §7), so that forms know the teams at once.
  useMyTeams(me);
  useEffect(() => {
    supportContext.set(me ? { user: { id: me.id, displayName: me.displayName, email: me.email } } : {});
    mayOpenTraces.set(me?.isAdministrator === true);
  }, [me]);
  const name = me?.displayName ?? '';
  return (
    <LazyMenu
      items={useAccountItems()}
      trigger={
        <IconButton
          className="only-wide"
          variant="quiet"
          label={name ? `Account: ${name}` : 'Account'}
          icon={<Avatar name={name} photo={photo ?? null} isMachine={me?.type === 'SERVICE_ACCOUNT'} />}
        />
      }
    />
  );
}

const themeLabels: Readonly<Record<Theme, string>> = { system: 'follows the system', light: 'light', dark: 'dark' };

function PhoneMenu() {
  const { theme, setTheme, next } = useTheme();
  const items: MenuItem[] = [
    { label: 'Home', href: paths.home(), icon: <House aria-hidden="true" /> },
    { label: 'Apps', href: paths.myApps(), icon: <LayoutGrid aria-hidden="true" /> },
    { label: 'Teams', href: paths.myTeams(), icon: <Users aria-hidden="true" /> },
    { label: 'Catalog', href: paths.catalog(), icon: <Library aria-hidden="true" /> },
    { label: 'Requests', href: paths.requests(), icon: <Inbox aria-hidden="true" /> },
    // Needed in the menu, because the header's own button disappears while nothing runs.
    { label: 'Pipelines', href: paths.pipelines(), icon: <Workflow aria-hidden="true" /> },
    { label: 'Docs', href: docs(), icon: <BookOpen aria-hidden="true" /> },
    { label: `Theme: ${themeLabels[theme]}`, icon: <SunMoon aria-hidden="true" />, onSelect: () => setTheme(next) },
    'line',
    ...useAccountItems(),
  ];
  return (
    <LazyMenu
      items={items}
      trigger={<IconButton className="only-phone" variant="quiet" label="Menu" icon={<MenuIcon aria-hidden="true" />} />}
    />
  );
}
