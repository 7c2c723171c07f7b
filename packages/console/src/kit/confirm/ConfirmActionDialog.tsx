/** Asks for confirmation of an action. If the action fails, the dialog stays open and shows the error. */
import { ConfirmDialog } from '@slipway/ui/overlay/ConfirmDialog.tsx';
import { useState } from 'react';
import { DialogError } from '#kit/error/DialogError.tsx';
import type { ConfirmedAction } from './confirm-action.ts';

interface ConfirmActionDialogProps {
  action: ConfirmedAction | undefined;
  onClose: () => void;
}

/** For a confirmation inside another dialog; pages call `confirmAction`. */
export function ConfirmActionDialog({ action, onClose }: ConfirmActionDialogProps) {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  // Keeps the texts while the dialog closes.
  const [shown, setShown] = useState(action);
  if (action && action !== shown) {
    if (action.title !== shown?.title) setFailure(undefined);
    setShown(action);
  }
  const close = (): void => {
    setFailure(undefined);
    onClose();
  };
  const confirm = async (): Promise<void> => {
    if (!action) return;
    setBusy(true);
    setFailure(undefined);
    try {
      await action.run();
      close();
    } catch (error) {
      setFailure(error);
    }
    setBusy(false);
  };
  if (!shown) return null;
  const { run: _, ...words } = shown;
  return (
    <ConfirmDialog
      {...words}
      isOpen={action !== undefined}
      onClose={close}
      onConfirm={() => void confirm()}
      isBusy={isBusy}
      {...(failure === undefined ? {} : { error: <DialogError error={failure} /> })}
    />
  );
}
