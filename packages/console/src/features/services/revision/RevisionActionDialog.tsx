/** Enables, disables or deletes a revision, after showing the consequences. */
import { environmentOf } from '@slipway/contract/kernel/fields.ts';
import type { PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { revisionActivation, revisionDelete, type Revision } from '@slipway/contract/service/revision.ts';
import { toastRun } from '#entities/pipeline/index.ts';
import { PlannedAction } from '#entities/plan/PlannedAction.tsx';
import { revisionConfirm, type RevisionAction } from './revision-confirm.ts';

export interface RevisionActionDialogProps {
  revision: Revision;
  action: RevisionAction;
  onClose: () => void;
}

export default function RevisionActionDialog({ revision, action, onClose }: RevisionActionDialogProps) {
  const { description, ...words } = revisionConfirm(action, revision);
  const params = { app: revision.app, env: revision.environment, service: revision.service, revision: revision.name };
  const shared = {
    ...words,
    subject: revision.name,
    environment: environmentOf(revision.environment) ?? 'development',
    onClose,
    onDone: (run: PipelineRun): void => {
      toastRun(`${revision.name} is being ${action}d`, run);
      onClose();
    },
    children: () => <p>{description}</p>,
  };
  if (action === 'delete') return <PlannedAction {...shared} route={revisionDelete} input={{ params }} />;
  return <PlannedAction {...shared} route={revisionActivation} input={{ params, body: { enabled: action === 'enable' } }} />;
}
