/** The screens of teams. */
import { teamKind } from '@slipway/contract/team.kind.ts';
import type { Team } from '@slipway/contract/team.ts';
import { Users } from 'lucide-react';
import { paths } from '#entities/paths.ts';
import { resourceScreens } from '#entities/resource/screens.ts';

const list = () => import('./TeamsPage.tsx');

export const teamScreens = resourceScreens<Team>({
  kind: teamKind,
  list: async () => (await import('./team-routes.ts')).teamList,
  icon: <Users aria-hidden="true" />,
  load: async () => ({
    ListPage: (await list()).Component,
    NewPage: (await import('./NewTeamPage.tsx')).Component,
    Page: (await import('./TeamPage.tsx')).Component,
  }),
  nameOf: ({ id, displayName }) => ({ name: id, title: displayName }),
  // The lists share one page, and the team page is prefetched.
  routes: [
    { path: 'team', lazy: list },
    { path: 'my-teams', lazy: list },
    { path: 'all-teams', lazy: list },
    { path: 'team/:team', lazy: () => import('./TeamPage.tsx') },
    {
      path: 'team/:team/notifications',
      lazy: () => import('./TeamPage.tsx'),
      children: [{ index: true, lazy: () => import('./notifications/TeamNotifications.tsx') }],
    },
    { path: 'new-team', lazy: () => import('./NewTeamPage.tsx') },
  ],
  pages: () => [
    { label: 'My teams', href: paths.myTeams() },
    { label: 'All teams', href: paths.allTeams() },
  ],
});
