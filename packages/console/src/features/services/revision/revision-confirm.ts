/** The confirmations for enabling, disabling and deleting a revision. The consequences come from the server's plan. */
import type { ConfirmChangesProps } from '#entities/plan/ConfirmChanges.tsx';
import type { Revision } from '@slipway/contract/service/revision.ts';
import { messageFor, reasonOf } from '#kit/error/messages.ts';

export type RevisionAction = 'enable' | 'disable' | 'delete';
type ConfirmTexts = Required<Pick<ConfirmChangesProps, 'title' | 'confirmLabel' | 'busyLabel' | 'keepLabel' | 'variant'>> & {
  /** Explains the action, beside its consequences. */
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
 * Returns why a rollback is not possible, or undefined if it is. A deleted revision keeps its snapshot, so rolling back to it is possible,
 * but not while the revision is being deleted.
 */
export const rollbackReason = (revision: Pick<Revision, 'can' | 'isServing' | 'status'>, team: string): string | undefined => {
  const { can, isServing, status } = revision;
  if (can['rollback'] !== undefined) return reasonOf(can, 'rollback', { team });
  if (isServing) return messageFor('RollbackToServing');
  // For a server without the `rollback` permission: who may not enable the revision may not roll back to it either.
  return status === 'DELETED' && can['enable'] === 'RevisionBeingDeleted' ? undefined : reasonOf(can, 'enable', { team });
};
