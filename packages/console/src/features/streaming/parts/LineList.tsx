/** Short lines in a panel: title, details below, and a status or button at the end. */
import { Status } from '@slipway/ui/feedback/Status.tsx';
import type { ReactNode } from 'react';
import css from './LineList.module.css';

export interface LineItem {
  key: string;
  main: ReactNode;
  below?: ReactNode;
  end?: ReactNode;
  /** Error of this line. */
  error?: string;
}

export function LineList({ items, label }: { items: readonly LineItem[]; label?: string }) {
  return (
    <ul className={css.lines} aria-label={label}>
      {items.map(({ key, main, below, end, error }) => (
        <li key={key}>
          <div className={css.words}>
            <div>{main}</div>
            {below !== undefined && <div className="meta">{below}</div>}
            {error !== undefined && (
              <div role="alert">
                <Status tone="bad">{error}</Status>
              </div>
            )}
          </div>
          {end !== undefined && <div className={css.end}>{end}</div>}
        </li>
      ))}
    </ul>
  );
}
