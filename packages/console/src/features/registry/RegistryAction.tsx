/** Renders the primary action of the current registry part beside the links to the parts. */
import { createContext, use, useState, type ReactNode } from 'react';
import { createPortal } from 'react-dom';
import css from './RegistryAction.module.css';

const ActionPlace = createContext<HTMLElement | null>(null);

export function RegistryActionPlace({ nav, children }: { nav: ReactNode; children: ReactNode }) {
  const [element, setElement] = useState<HTMLElement | null>(null);
  return (
    <ActionPlace value={element}>
      <div className="stack">
        <div className={css.bar}>
          {nav}
          <div ref={setElement} className={css.action} />
        </div>
        {children}
      </div>
    </ActionPlace>
  );
}

export function RegistryAction({ children }: { children: ReactNode }) {
  const element = use(ActionPlace);
  return element && createPortal(children, element);
}
