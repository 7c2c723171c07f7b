/** Whether one may go back to a revision, in the words that its control shows. */
import type { Revision } from '@slipway/contract/revision.ts';
import { messageFor, reasonOf } from '#kit/error/messages.ts';

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
