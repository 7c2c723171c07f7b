/** Deleting an app: names what goes with it and lets one type its name. */
import { applicationDelete, type Application } from '@slipway/contract/application.ts';
import { ConfirmDialog } from '@slipway/ui/ConfirmDialog.tsx';
import { toast } from '@slipway/ui/toast.ts';
import { useNavigate } from 'react-router';
import { useWrite } from '#kit/api/write.ts';
import { reportError } from '#kit/error/global-error.ts';
import { paths } from '#entities/paths.ts';

export function DeleteAppDialog({ app, isOpen, onClose }: { app: Application; isOpen: boolean; onClose: () => void }) {
  const remove = useWrite(applicationDelete);
  const navigate = useNavigate();
  const confirm = async (): Promise<void> => {
    try {
      await remove.send({ params: { app: app.id } });
      toast.success(`${app.id} is being deleted`);
      await navigate(paths.myApps());
    } catch (error) {
      onClose();
      reportError(error);
    }
  };
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      onConfirm={() => void confirm()}
      title={`Delete ${app.id}?`}
      description="The app goes away in both environments. This cannot be undone."
      consequences={['Its repositories and their history are gone for good', 'Its registry project and all images are gone for good']}
      confirmWord={app.id}
      confirmLabel={`Delete ${app.id}`}
      busyLabel="Deleting"
      isBusy={remove.isBusy}
    />
  );
}
