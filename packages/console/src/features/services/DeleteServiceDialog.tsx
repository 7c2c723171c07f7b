/** Deletes a service without revisions, or discards one that was never made. */
import { serviceDelete, type Service } from '@slipway/contract/service.ts';
import { ConfirmDialog } from '@slipway/ui/ConfirmDialog.tsx';
import { toast } from '@slipway/ui/toast.ts';
import { useNavigate } from 'react-router';
import { useWrite } from '#api/write.ts';
import { reportError } from '#lib/global-error.ts';
import { paths } from '#lib/paths.ts';

export function DeleteServiceDialog({ service, isOpen, onClose }: { service: Service; isOpen: boolean; onClose: () => void }) {
  const remove = useWrite(serviceDelete);
  const navigate = useNavigate();
  const { app, environment: env, name } = service;
  const wasMade = service.state !== 'NOT_CREATED';
  const verb = wasMade ? 'Delete' : 'Discard';
  const confirm = async (): Promise<void> => {
    try {
      await remove.send({ params: { app, env, service: name } });
      toast.success(`${name} is being ${wasMade ? 'deleted' : 'discarded'}`);
      await navigate(paths.appServices({ app, env }));
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
      title={`${verb} ${name}?`}
      description={
        wasMade ? 'This cannot be undone.' : 'It was never created, so nothing is lost but the form’s values. The name becomes free again.'
      }
      consequences={
        wasMade ? ['Its images in the registry are gone for good', 'Its settings and the list of its revisions are gone for good'] : []
      }
      confirmLabel={`${verb} ${name}`}
      busyLabel={wasMade ? 'Deleting' : 'Discarding'}
      isBusy={remove.isBusy}
    />
  );
}
