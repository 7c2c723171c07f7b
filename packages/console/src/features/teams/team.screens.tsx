/** The screens of teams. */
import { teamKind } from '@slipway/contract/kinds/team.kind.ts';
import type { Team } from '@slipway/contract/team.ts';
import { Users } from 'lucide-react';
import { paths } from '#entities/paths.ts';
import { resourceScreens } from '#entities/resource/screens.ts';

const listPage = () => import('./TeamsPage.tsx');

export const teamScreens = resourceScreens<Team>({
  kind: teamKind,
  list: async () => (await import('./team-routes.ts')).teamList,
  icon: <Users aria-hidden="true" />,
  listPage,
  newPage: () => import('./NewTeamPage.tsx'),
  page: () => import('./TeamPage.tsx'),
  nameOf: ({ id, displayName }) => ({ name: id, title: displayName }),
  moreRoutes: [
    ...['team', 'my-teams'].map((path) => ({ path, lazy: listPage })),
    {
      path: 'team/:team/notifications',
      lazy: () => import('./TeamPage.tsx'),
      children: [{ index: true, lazy: () => import('./notifications/TeamNotifications.tsx') }],
    },
  ],
  pages: () => [
    { label: 'My teams', href: paths.myTeams() },
    { label: 'All teams', href: paths.allTeams() },
  ],
});
