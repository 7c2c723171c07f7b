/** Asks for confirmation and runs an action such as delete, restore or revoke. One dialog in the shell serves every page. */
import type { ConfirmDialogProps } from '@slipway/ui/overlay/ConfirmDialog.tsx';
import { createStore } from '#kit/state/store.ts';

export interface ConfirmedAction extends Pick<
  ConfirmDialogProps,
  'title' | 'description' | 'consequences' | 'confirmWord' | 'confirmLabel' | 'busyLabel' | 'keepLabel' | 'variant'
> {
  /** If it throws, the dialog stays open and shows the error. */
  run: () => Promise<void>;
}

/** The action that the dialog currently asks about. */
export const askedAction = createStore<ConfirmedAction | undefined>(undefined);

export const confirmAction = (action: ConfirmedAction): void => askedAction.set(action);
