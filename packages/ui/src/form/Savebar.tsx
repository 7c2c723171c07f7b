// The bar that appears with the first change of a long form: number of changes, summary, errors, and actions.
import type { ReactNode } from 'react';
import { Link } from '../layout/Link.tsx';
import { StatusIcon } from '../feedback/StatusIcon.tsx';
import css from './Savebar.module.css';

export interface SavebarProps {
  /** Number of changes; at 0 the bar is hidden. */
  count: number;
  /** Short description of the changes. */
  summary?: ReactNode;
  /** Error summary, with a link to the first error. */
  error?: { label: ReactNode; href: string; onSelect?: () => void };
  /** Discard (quiet) and Review (filled). */
  actions: ReactNode;
}

export function Savebar({ count, summary, error, actions }: SavebarProps) {
  if (count === 0) return null;
  return (
    <>
      <div className={css.space} aria-hidden="true" />
      <section className={css.bar} aria-label="Unsaved changes" data-savebar>
        <div className={`wrap ${css.inner}`}>
          <strong className={css.count} role="status">
            {count === 1 ? '1 change' : `${count} changes`}
          </strong>
          {summary !== undefined && <span className="quiet ell only-wide">{summary}</span>}
          {error !== undefined && (
            <Link className={css.error} href={error.href} onClick={error.onSelect}>
              <StatusIcon tone="bad" />
              {error.label}
            </Link>
          )}
          <span className={css.actions}>{actions}</span>
        </div>
      </section>
    </>
  );
}
