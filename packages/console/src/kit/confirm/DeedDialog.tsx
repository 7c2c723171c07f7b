/** Asks before one of the deeds of a page, and does it: delete, restore, detach, restart. A failure goes to the page's banner. */
import { ConfirmDialog, type ConfirmDialogProps } from '@slipway/ui/ConfirmDialog.tsx';
import { useState } from 'react';
import { reportError } from '#kit/error/global-error.ts';

export interface Deed extends Pick<
  ConfirmDialogProps,
  'title' | 'description' | 'consequences' | 'confirmLabel' | 'busyLabel' | 'keepLabel' | 'variant'
> {
  run: () => Promise<void>;
}

export function DeedDialog({ deed, onClose }: { deed: Deed | undefined; onClose: () => void }) {
  const [isBusy, setBusy] = useState(false);
  // The dialog keeps its words while it closes.
  const [shown, setShown] = useState(deed);
  if (deed && deed !== shown) setShown(deed);
  const confirm = async (): Promise<void> => {
    if (!deed) return;
    setBusy(true);
    try {
      await deed.run();
    } catch (error) {
      reportError(error);
    }
    setBusy(false);
    onClose();
  };
  if (!shown) return null;
  const { run: _, ...words } = shown;
  return <ConfirmDialog {...words} isOpen={deed !== undefined} onClose={onClose} onConfirm={() => void confirm()} isBusy={isBusy} />;
}
