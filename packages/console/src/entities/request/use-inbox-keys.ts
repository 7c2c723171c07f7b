/** Keys of the inbox: J and K move, A focuses "Approve", X selects. */
import { isTyping } from '@slipway/ui/form/SearchInput.tsx';
import { useEffect, useEffectEvent } from 'react';

interface InboxKeys {
  ids: readonly string[];
  current: string | undefined;
  open: (id: string) => void;
  toggle: (id: string) => void;
}

const overlays = '[role=dialog], [role=alertdialog], [role=menu], [role=listbox]';

export const useInboxKeys = ({ ids, current, open, toggle }: InboxKeys): void => {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (document.querySelector(overlays)) return;
    const key = event.key.toLowerCase();
    const index = ids.indexOf(current ?? '');
    const next = key === 'j' ? ids[index + 1] : key === 'k' ? ids[index - 1] : undefined;
    if (next !== undefined) open(next);
    if (key === 'x' && current !== undefined) toggle(current);
    if (key === 'a') {
      event.preventDefault();
      document.querySelector<HTMLElement>('[data-request-approve]')?.focus();
    }
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent): void => onKey(event);
    addEventListener('keydown', listener);
    return () => removeEventListener('keydown', listener);
  }, []);
};
