/** How a team's states and roles read. */
import type { Team } from '@slipway/contract/team.ts';
import type { StatusLook } from '#entities/status.ts';

export const teamLook: Readonly<Record<Team['state'], StatusLook | undefined>> = {
  ACTIVE: undefined,
  CREATING: { tone: 'run', word: 'Being created' },
  NOT_CREATED: { tone: 'bad', word: 'Not created' },
  DELETING: { tone: 'run', word: 'Being deleted' },
};

export type Role = 'Owner' | 'Member';

export const roleIn = (team: Pick<Team, 'ownerIds' | 'memberIds'>, id: string | undefined): Role | undefined => {
  if (id === undefined) return undefined;
  if (team.ownerIds.includes(id)) return 'Owner';
  return team.memberIds.includes(id) ? 'Member' : undefined;
};
