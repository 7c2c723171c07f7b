/** Hosts the dialog of `confirmAction`, once in the shell. Its code loads with the first question; leaving the page closes it. */
import { lazy, Suspense, useEffect, useState } from 'react';
import { useLocation } from 'react-router';
import { useStore } from '#kit/state/store.ts';
import { askedAction } from './confirm-action.ts';

export const loadConfirm = async () => ({ default: (await import('./ConfirmActionDialog.tsx')).ConfirmActionDialog });
const ConfirmActionDialog = lazy(loadConfirm);

const close = (): void => askedAction.set(undefined);

export function ConfirmHost() {
  const action = useStore(askedAction);
  const { pathname } = useLocation();
  const [isWanted, setWanted] = useState(false);
  useEffect(() => close, [pathname]);
  if (action && !isWanted) setWanted(true);
  return <Suspense fallback={null}>{isWanted && <ConfirmActionDialog action={action} onClose={close} />}</Suspense>;
}
