/** Asks before unsaved changes are lost: a dialog for links and Back, the browser's own prompt for closing. One per page. */
import { ConfirmDialog } from '@slipway/ui/overlay/ConfirmDialog.tsx';
import { useEffect } from 'react';
import { useBlocker } from 'react-router';

export interface UnsavedGuardProps {
  isDirty: boolean;
  /** Called when the user leaves. True skips the question, for example after a save that navigates. */
  isReleased?: () => boolean;
  title?: string;
  /** Says what happens to the changes. */
  description?: string;
  /** For cases where the changes are kept or something else is lost. */
  confirmLabel?: string;
}

/** The router allows one blocker at a time, so a guard without changes does not register one. */
export function UnsavedGuard({ isDirty, ...rest }: UnsavedGuardProps) {
  return isDirty ? <Guard {...rest} /> : null;
}

function Guard({
  isReleased = () => false,
  title = 'Leave without saving?',
  description = 'What you changed on this page will be lost.',
  confirmLabel = 'Discard changes',
}: Omit<UnsavedGuardProps, 'isDirty'>) {
  // The router holds the blocked location: `proceed` goes there, `reset` drops it.
  const blocker = useBlocker(({ currentLocation, nextLocation }) => !isReleased() && currentLocation.pathname !== nextLocation.pathname);
  useEffect(() => {
    const prompt = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', prompt);
    return () => removeEventListener('beforeunload', prompt);
  }, []);
  return (
    <ConfirmDialog
      isOpen={blocker.state === 'blocked'}
      onClose={() => blocker.reset?.()}
      onConfirm={() => blocker.proceed?.()}
      title={title}
      description={description}
      confirmLabel={confirmLabel}
      keepLabel="Stay here"
      variant="primary"
    />
  );
}
