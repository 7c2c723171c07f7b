/** Labels for a person's role in a team. */
import type { Team } from '@slipway/contract/team.ts';

export type Role = 'Owner' | 'Member';

export const roleIn = (team: Pick<Team, 'ownerIds' | 'memberIds'>, id: string | undefined): Role | undefined => {
  if (id === undefined) return undefined;
  if (team.ownerIds.includes(id)) return 'Owner';
  return team.memberIds.includes(id) ? 'Member' : undefined;
};
