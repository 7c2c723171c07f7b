/** What is asked before a revision is enabled, disabled or deleted. What it costs comes from the server's plan. */
import type { ConfirmChangesProps } from '#entities/plan/ConfirmChanges.tsx';
import type { Revision } from '@slipway/contract/service/revision.ts';
import { messageFor, reasonOf } from '#kit/error/messages.ts';

export type RevisionAction = 'enable' | 'disable' | 'delete';
type ConfirmTexts = Required<Pick<ConfirmChangesProps, 'title' | 'confirmLabel' | 'busyLabel' | 'keepLabel' | 'variant'>> & {
  /** What it means, beside its consequences. */
  description: string;
};

const disable = ({ name, isServing }: Revision): ConfirmTexts => ({
  title: `Disable ${name}?`,
  description: `It keeps its settings and its log, and can be enabled again.${isServing ? ' No other revision takes over by itself.' : ''}`,
  confirmLabel: `Disable ${name}`,
  busyLabel: 'Disabling',
  keepLabel: isServing ? 'Keep it serving' : 'Keep it',
  variant: 'danger',
});

const enable = ({ name, imageTag }: Revision): ConfirmTexts => ({
  title: `Enable ${name}?`,
  description: `The same rollout as a deploy, onto this revision: its image ${imageTag} with the settings it was made from. The settings of the service stay as they are.`,
  confirmLabel: `Enable ${name}`,
  busyLabel: 'Enabling',
  keepLabel: 'Leave it off',
  variant: 'primary',
});

const remove = ({ name }: Revision): ConfirmTexts => ({
  title: `Delete ${name}?`,
  description: 'It stays in the list with its settings, and can still be rolled back to.',
  confirmLabel: `Delete ${name}`,
  busyLabel: 'Deleting',
  keepLabel: 'Keep it',
  variant: 'danger',
});

export const revisionConfirm = (action: RevisionAction, revision: Revision): ConfirmTexts =>
  ({ enable, disable, delete: remove })[action](revision);

/**
 * Undefined where it is possible: also for a deleted revision, which keeps its snapshot. While one is being deleted nothing is possible.
 */
export const rollbackReason = (revision: Pick<Revision, 'can' | 'isServing' | 'status'>, team: string): string | undefined => {
  const { can, isServing, status } = revision;
  if (can['rollback'] !== undefined) return reasonOf(can, 'rollback', { team });
  if (isServing) return messageFor('RollbackToServing');
  // A server that does not name the verb: who may not enable it now may not go back either.
  return status === 'DELETED' && can['enable'] === 'RevisionBeingDeleted' ? undefined : reasonOf(can, 'enable', { team });
};
