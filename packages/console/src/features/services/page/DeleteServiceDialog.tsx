/** Deletes a service without revisions, or discards a service whose creation failed. */
import { serviceDelete, type Service } from '@slipway/contract/service/service.ts';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { useNavigate } from 'react-router';
import { paths } from '#entities/paths.ts';
import { PlannedAction } from '#entities/plan/PlannedAction.tsx';

export default function DeleteServiceDialog({ service, onClose }: { service: Service; onClose: () => void }) {
  const navigate = useNavigate();
  const { app, environment: env, name } = service;
  const wasMade = service.state !== 'NOT_CREATED';
  const verb = wasMade ? 'Delete' : 'Discard';
  return (
    <PlannedAction
      route={serviceDelete}
      input={{ params: { app, env, service: name } }}
      title={`${verb} ${name}?`}
      subject={name}
      environment={env}
      confirmLabel={`${verb} ${name}`}
      busyLabel={wasMade ? 'Deleting' : 'Discarding'}
      keepLabel="Keep it"
      variant="danger"
      onClose={onClose}
      onDone={() => {
        toast.success(`${name} is being ${wasMade ? 'deleted' : 'discarded'}`);
        void navigate(paths.appServices({ app, env }));
      }}
    >
      {() => (
        <p>
          {wasMade
            ? 'Its images in the registry, its settings and the list of its revisions are gone for good.'
            : 'It was never created, so nothing is lost but the form’s values. The name becomes free again.'}
        </p>
      )}
    </PlannedAction>
  );
}
