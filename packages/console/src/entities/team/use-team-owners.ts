/** Names of a team's owners, for texts like "ask …". */
import { identityList } from '@slipway/contract/identity.ts';
import { teamView } from '@slipway/contract/team.ts';
import { useQuery } from '#kit/api/query.ts';

const namesShown = 3;

/** Returns for example "Kwame Boateng or Sofía Marín"; undefined until loaded. */
export const useTeamOwners = (teamId: string | undefined): string | undefined => {
  const input = teamId === undefined ? undefined : { params: { team: teamId } };
  const { data: team } = useQuery(teamView, input, { pollMs: 0 });
  const { data: people } = useQuery(identityList, teamId !== undefined && { query: { teamId, size: 100 } }, { pollMs: 0 });
  if (!team || !people) return undefined;
  const names = people.content.filter(({ id }) => team.ownerIds.includes(id)).map(({ displayName }) => displayName);
  return new Intl.ListFormat('en', { type: 'disjunction' }).format(names.slice(0, namesShown)) || undefined;
};
