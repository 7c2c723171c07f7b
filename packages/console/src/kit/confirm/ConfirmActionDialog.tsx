/** Asks before one of the actions of a page, and does it: delete, discard, restore, detach, revoke. It stays open with what failed. */
import { ConfirmDialog, type ConfirmDialogProps } from '@slipway/ui/overlay/ConfirmDialog.tsx';
import { useState } from 'react';
import { describeError, errorSentence } from '#kit/error/describe-error.ts';

export interface ConfirmedAction extends Pick<
  ConfirmDialogProps,
  'title' | 'description' | 'consequences' | 'confirmWord' | 'confirmLabel' | 'busyLabel' | 'keepLabel' | 'variant'
> {
  run: () => Promise<void>;
}

export function ConfirmActionDialog({ action, onClose }: { action: ConfirmedAction | undefined; onClose: () => void }) {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  // The dialog keeps its words while it closes.
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
      {...(failure === undefined ? {} : { error: <FailureText error={failure} /> })}
    />
  );
}

function FailureText({ error }: { error: unknown }) {
  const { traceId } = describeError(error);
  return (
    <>
      {errorSentence(error)}
      {traceId !== undefined && <span className="meta"> Trace id {traceId}</span>}
    </>
  );
}
