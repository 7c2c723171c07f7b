/** Deleting a team: only one without apps, by typing its code. Discarding one that was never created. */
import { teamDelete, type Team } from '@slipway/contract/team.ts';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { useNavigate } from 'react-router';
import { useWrite } from '#kit/api/write.ts';
import { ConfirmActionDialog, type ConfirmedAction } from '#kit/confirm/ConfirmActionDialog.tsx';
import { paths } from '#entities/paths.ts';

/** Sends the deletion and leaves the page. */
const useRemove = (team: Team, done: string) => {
  const remove = useWrite(teamDelete);
  const navigate = useNavigate();
  return async (): Promise<void> => {
    await remove.send({ params: { team: team.id } });
    toast.success(`${team.displayName} is being ${done}`);
    await navigate(paths.myTeams());
  };
};

export const useDiscardTeam = (team: Team): ConfirmedAction => ({
  title: `Discard ${team.displayName}?`,
  description: "It was never created, so nothing is lost but the form's values. The code becomes free again.",
  confirmLabel: `Discard ${team.displayName}`,
  busyLabel: 'Discarding',
  run: useRemove(team, 'discarded'),
});

export function DeleteTeamDialog({ team, isOpen, onClose }: { team: Team; isOpen: boolean; onClose: () => void }) {
  const people = new Set([...team.ownerIds, ...team.memberIds]).size;
  const action: ConfirmedAction = {
    title: `Delete ${team.displayName}?`,
    description: 'The team owns no apps, so nothing stops running.',
    consequences: [people === 1 ? 'One person is in no team any more unless in another' : `${people} people lose this membership`],
    confirmWord: team.id,
    confirmLabel: `Delete ${team.displayName}`,
    busyLabel: 'Deleting',
    run: useRemove(team, 'deleted'),
  };
  return <ConfirmActionDialog action={isOpen ? action : undefined} onClose={onClose} />;
}
