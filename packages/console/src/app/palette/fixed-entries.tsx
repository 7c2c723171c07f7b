/** Palette entries that are always available: the main pages and global actions. */
import { setTheme, type Theme } from '@slipway/ui/use-theme.ts';
import { BookOpen, Inbox, KeyRound, Keyboard, LayoutGrid, LogOut, Plus, Sun, SunMoon, Moon, Workflow } from 'lucide-react';
import type { ReactNode } from 'react';
import { signOut } from '#kit/api/session.ts';
import { paths } from '#entities/paths.ts';
import { declaredScreens } from '../declared-screens.ts';
import type { Entry, EntryGroup } from './match.ts';
import { openShortcuts } from './palette-state.ts';

const page = (label: string, href: string, icon: ReactNode, words = ''): Entry => ({ key: `page ${href}`, label, href, icon, words });

type Names = Readonly<Record<string, string | undefined>>;

export const pages = (place: Names): EntryGroup => ({
  label: 'Pages',
  entries: [
    page('My apps', paths.myApps(), <LayoutGrid aria-hidden="true" />, 'dashboard home'),
    page('All apps', paths.allApps(), <LayoutGrid aria-hidden="true" />),
    ...declaredScreens.flatMap(({ icon, pages: own }) => own(place).map(({ label, href, words }) => page(label, href, icon, words))),
    page('Requests', paths.requests(), <Inbox aria-hidden="true" />, 'inbox approve decide'),
    page('Pipelines', paths.pipelines(), <Workflow aria-hidden="true" />, 'runs builds deploys'),
    page('API tokens', paths.tokens(), <KeyRound aria-hidden="true" />, 'account keys'),
    page('Docs', new URL(paths.docs(), location.origin).href, <BookOpen aria-hidden="true" />, 'documentation help guide'),
  ],
});

const themes: readonly (readonly [Theme, string, ReactNode])[] = [
  ['light', 'Light theme', <Sun key="light" aria-hidden="true" />],
  ['dark', 'Dark theme', <Moon key="dark" aria-hidden="true" />],
  ['system', 'Theme of the system', <SunMoon key="system" aria-hidden="true" />],
];

export const fixedActions = (place: Names): Entry[] => [
  { key: 'new app', label: 'New app', words: 'create quickstart', icon: <Plus aria-hidden="true" />, href: paths.newApp() },
  ...declaredScreens.flatMap(({ actions }) =>
    actions(place).map(({ label, href, words = 'create' }): Entry => ({
      key: label.toLowerCase(),
      label,
      words,
      icon: <Plus aria-hidden="true" />,
      href,
    })),
  ),
  {
    key: 'shortcuts',
    label: 'Keyboard shortcuts',
    words: 'keys help',
    icon: <Keyboard aria-hidden="true" />,
    keys: '?',
    onSelect: openShortcuts,
  },
  ...themes.map(([theme, label, icon]): Entry => ({
    key: `theme ${theme}`,
    label,
    icon,
    words: 'mode appearance',
    onSelect: () => setTheme(theme),
  })),
  { key: 'sign out', label: 'Sign out', words: 'log out leave', icon: <LogOut aria-hidden="true" />, onSelect: () => void signOut() },
];
