/** Asks before one of the actions of a page, and does it: delete, restore, detach, restart. A failure goes to the page's banner. */
import { ConfirmDialog, type ConfirmDialogProps } from '@slipway/ui/ConfirmDialog.tsx';
import { useState } from 'react';
import { reportError } from '#kit/error/global-error.ts';

export interface ConfirmedAction extends Pick<
  ConfirmDialogProps,
  'title' | 'description' | 'consequences' | 'confirmLabel' | 'busyLabel' | 'keepLabel' | 'variant'
> {
  run: () => Promise<void>;
}

export function ConfirmActionDialog({ action, onClose }: { action: ConfirmedAction | undefined; onClose: () => void }) {
  const [isBusy, setBusy] = useState(false);
  // The dialog keeps its words while it closes.
  const [shown, setShown] = useState(action);
  if (action && action !== shown) setShown(action);
  const confirm = async (): Promise<void> => {
    if (!action) return;
    setBusy(true);
    try {
      await action.run();
    } catch (error) {
      reportError(error);
    }
    setBusy(false);
    onClose();
  };
  if (!shown) return null;
  const { run: _, ...words } = shown;
  return <ConfirmDialog {...words} isOpen={action !== undefined} onClose={onClose} onConfirm={() => void confirm()} isBusy={isBusy} />;
}
