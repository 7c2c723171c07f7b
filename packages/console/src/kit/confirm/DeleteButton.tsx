/** Button that deletes the page's entity after a confirmation. */
import { Button } from '@slipway/ui/form/Button.tsx';
import { Trash2 } from 'lucide-react';
import { confirmAction, type ConfirmedAction } from './confirm-action.ts';

export interface DeleteButtonProps {
  /** "topic" */
  noun: string;
  remove: ConfirmedAction;
  /** Why the entity cannot be deleted. */
  reason: string | undefined;
}

export const DeleteButton = ({ noun, remove, reason }: DeleteButtonProps) => (
  <Button icon={<Trash2 aria-hidden="true" />} disabledReason={reason} onClick={() => confirmAction(remove)}>
    Delete {noun}
  </Button>
);
