/** The button of a row that opens its detail. The open row is in the URL. */
import { ChevronDown, ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { useUrlState } from '#kit/state/url-state.ts';
import css from './OpenButton.module.css';

export interface Opener {
  readonly open: string;
  readonly toggle: (id: string) => void;
}
/** `name`: the query parameter that holds the open row. */
export const useOpener = (name = 'open'): Opener => {
  const { state, set } = useUrlState({ [name]: '' });
  const open = state[name] ?? '';
  return { open, toggle: (id) => set({ [name]: open === id ? '' : id }, { replace: true }) };
};

export function OpenButton({ id, opener, children }: { id: string; opener: Opener; children: ReactNode }) {
  const isOpen = opener.open === id;
  const Icon = isOpen ? ChevronDown : ChevronRight;
  return (
    <button type="button" className={css.open} aria-expanded={isOpen} onClick={() => opener.toggle(id)}>
      <Icon aria-hidden="true" />
      <span>{children}</span>
    </button>
  );
}
