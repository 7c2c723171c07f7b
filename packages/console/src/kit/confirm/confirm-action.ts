/** Asks before an action, and does it: delete, discard, restore, detach, revoke. One dialog in the shell asks for every page. */
import type { ConfirmDialogProps } from '@slipway/ui/overlay/ConfirmDialog.tsx';
import { createStore } from '#kit/state/store.ts';

export interface ConfirmedAction extends Pick<
  ConfirmDialogProps,
  'title' | 'description' | 'consequences' | 'confirmWord' | 'confirmLabel' | 'busyLabel' | 'keepLabel' | 'variant'
> {
  /** What it throws is shown in the dialog, which stays open. */
  run: () => Promise<void>;
}

/** What is asked at the moment. */
export const askedAction = createStore<ConfirmedAction | undefined>(undefined);

export const confirmAction = (action: ConfirmedAction): void => askedAction.set(action);
