/** Deleting a team: only one without apps, by typing its code. */
import { teamDelete, type Team } from '@slipway/contract/team.ts';
import { ConfirmDialog } from '@slipway/ui/ConfirmDialog.tsx';
import { toast } from '@slipway/ui/toast.ts';
import { useNavigate } from 'react-router';
import { useWrite } from '#kit/api/write.ts';
import { reportError } from '#kit/error/global-error.ts';
import { paths } from '#entities/paths.ts';

export function DeleteTeamDialog({ team, isOpen, onClose }: { team: Team; isOpen: boolean; onClose: () => void }) {
  const remove = useWrite(teamDelete);
  const navigate = useNavigate();
  const confirm = async (): Promise<void> => {
    try {
      await remove.send({ params: { team: team.id } });
      toast.success(`${team.displayName} is being deleted`);
      await navigate(paths.myTeams());
    } catch (error) {
      onClose();
      reportError(error);
    }
  };
  const people = new Set([...team.ownerIds, ...team.memberIds]).size;
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      onConfirm={() => void confirm()}
      title={`Delete ${team.displayName}?`}
      description="The team owns no apps, so nothing stops running."
      consequences={[people === 1 ? 'One person is in no team any more unless in another' : `${people} people lose this membership`]}
      confirmWord={team.id}
      confirmLabel={`Delete ${team.displayName}`}
      busyLabel="Deleting"
      isBusy={remove.isBusy}
    />
  );
}
