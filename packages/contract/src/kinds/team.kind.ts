/** The kind `team`. */
import { declareKind } from '../kernel/subject.ts';

export const teamKind = declareKind({
  kind: 'team',
  label: 'Team',
  plural: 'Teams',
  names: ['team'],
  access: 'signedIn',
  shownBy: ['team', 'me', 'identit', 'application'],
  path: '/team/{team}',
  listPath: '/all-teams',
  newPath: '/new-team',
  pipelines: { CreateTeam: 'Create team', UpdateTeam: 'Update team', DeleteTeam: 'Delete team' },
});
