/** Deletes a team without apps after the user types its code. Also discards a team whose creation failed. */
import { teamDelete, type Team } from '@slipway/contract/team.ts';
import { paths } from '#entities/paths.ts';
import { useRemoval } from '#kit/confirm/use-removal.ts';

export const useTeamRemoval = ({ id, displayName, ownerIds, memberIds }: Team) => {
  const people = new Set([...ownerIds, ...memberIds]).size;
  return useRemoval({
    route: teamDelete,
    input: { params: { team: id } },
    title: displayName,
    home: paths.myTeams(),
    description: 'The team owns no apps, so nothing stops running.',
    consequences: [people === 1 ? 'One person is in no team any more unless in another' : `${people} people lose this membership`],
    confirmWord: id,
    freed: 'The code becomes free again.',
  });
};
