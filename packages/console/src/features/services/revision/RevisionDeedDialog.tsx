/** Enables, disables or deletes a revision, after it has shown what that does to what runs. */
import { environmentOf } from '@slipway/contract/fields.ts';
import type { PipelineRun } from '@slipway/contract/pipeline.ts';
import { revisionActivation, revisionDelete, type Revision } from '@slipway/contract/revision.ts';
import { toast } from '@slipway/ui/toast.ts';
import { pipelinePath } from '#entities/paths.ts';
import { PlannedDeed } from '#entities/plan/PlannedDeed.tsx';
import { revisionConfirm, type RevisionDeed } from './revision-confirm.ts';

export interface RevisionDeedDialogProps {
  revision: Revision;
  deed: RevisionDeed;
  onClose: () => void;
}

export default function RevisionDeedDialog({ revision, deed, onClose }: RevisionDeedDialogProps) {
  const { description, ...words } = revisionConfirm(deed, revision);
  const params = { app: revision.app, env: revision.environment, service: revision.service, revision: revision.name };
  const shared = {
    ...words,
    subject: revision.name,
    environment: environmentOf(revision.environment) ?? 'development',
    onClose,
    onDone: (run: PipelineRun): void => {
      toast.success(`${revision.name} is being ${deed}d`, { href: pipelinePath(run), linkLabel: 'View pipeline' });
      onClose();
    },
    children: () => <p>{description}</p>,
  };
  if (deed === 'delete') return <PlannedDeed {...shared} route={revisionDelete} input={{ params }} />;
  return <PlannedDeed {...shared} route={revisionActivation} input={{ params, body: { enabled: deed === 'enable' } }} />;
}
