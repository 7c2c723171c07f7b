/** Deleting an app: names what goes with it and lets one type its name. Discarding one that was never created. */
import { applicationDelete, type Application } from '@slipway/contract/application.ts';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { useNavigate } from 'react-router';
import { useWrite } from '#kit/api/write.ts';
import { ConfirmActionDialog, type ConfirmedAction } from '#kit/confirm/ConfirmActionDialog.tsx';
import { paths } from '#entities/paths.ts';

/** Sends the deletion and leaves the page. */
const useRemove = ({ id }: Application, done: string) => {
  const remove = useWrite(applicationDelete);
  const navigate = useNavigate();
  return async (): Promise<void> => {
    await remove.send({ params: { app: id } });
    toast.success(`${id} is being ${done}`);
    await navigate(paths.myApps());
  };
};

export const useDiscardApp = (app: Application): ConfirmedAction => ({
  title: `Discard ${app.id}?`,
  description: "It was never created, so nothing is lost but the form's values. The name becomes free again.",
  confirmLabel: `Discard ${app.id}`,
  busyLabel: 'Discarding',
  run: useRemove(app, 'discarded'),
});

export function DeleteAppDialog({ app, isOpen, onClose }: { app: Application; isOpen: boolean; onClose: () => void }) {
  const action: ConfirmedAction = {
    title: `Delete ${app.id}?`,
    description: 'The app goes away in both environments. This cannot be undone.',
    consequences: ['Its repositories and their history are gone for good', 'Its registry project and all images are gone for good'],
    confirmWord: app.id,
    confirmLabel: `Delete ${app.id}`,
    busyLabel: 'Deleting',
    run: useRemove(app, 'deleted'),
  };
  return <ConfirmActionDialog action={isOpen ? action : undefined} onClose={onClose} />;
}
