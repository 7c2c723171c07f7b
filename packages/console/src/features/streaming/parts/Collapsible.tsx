/** Rarely changed settings, collapsed with a short summary. Errors expand them. */
import { useEffect, useRef, type ReactNode } from 'react';
import css from './Collapsible.module.css';

export interface CollapsibleProps {
  title: string;
  note?: ReactNode;
  hasError?: boolean;
  children: ReactNode;
}

export function Collapsible({ title, note, hasError = false, children }: CollapsibleProps) {
  const element = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (hasError && element.current) element.current.open = true;
  }, [hasError]);
  return (
    <details ref={element} className={css.fold}>
      <summary>
        {title} {note !== undefined && <span className="meta">{note}</span>}
      </summary>
      <div className="stack stack-12">{children}</div>
    </details>
  );
}
