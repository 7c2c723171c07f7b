/** Names of a team's owners, for the words "ask …" where somebody may not do something. */
import { identityList } from '@slipway/contract/identity.ts';
import { teamView } from '@slipway/contract/team.ts';
import { useQuery } from '#kit/api/query.ts';

const namesShown = 3;

/** "Kwame Boateng or Sofía Marín"; undefined until known. */
export const useTeamOwners = (teamId: string | undefined): string | undefined => {
  const input = teamId === undefined ? undefined : { params: { team: teamId } };
  const { data: team } = useQuery(teamView, input, { pollMs: 0 });
  const { data: people } = useQuery(identityList, teamId !== undefined && { query: { teamId, size: 100 } }, { pollMs: 0 });
  if (!team || !people) return undefined;
  const names = people.content.filter(({ id }) => team.ownerIds.includes(id)).map(({ displayName }) => displayName);
  return new Intl.ListFormat('en', { type: 'disjunction' }).format(names.slice(0, namesShown)) || undefined;
};
