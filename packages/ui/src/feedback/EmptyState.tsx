// Replaces the rows of a list. There are four kinds, and an error is never shown as "nothing here".
import type { ReactNode } from 'react';
import { classNames } from '../class-names.ts';
import css from './EmptyState.module.css';
import { StatusIcon } from './StatusIcon.tsx';

export interface EmptyStateProps {
  /**
   * `first-use`: nothing created yet. `no-match`: a filter hides all rows. `no-right`: the user may not see them. `error`: loading failed.
   */
  kind: 'first-use' | 'no-match' | 'no-right' | 'error';
  title: ReactNode;
  /** Purpose of the list, reason for its emptiness, whom to ask, or next steps. */
  children?: ReactNode;
  /** One button, and optionally a quiet one. */
  actions?: ReactNode;
  level?: 2 | 3;
  isCompact?: boolean;
}

export function EmptyState({ kind, title, children, actions, level = 3, isCompact = false }: EmptyStateProps) {
  const Heading = level === 2 ? 'h2' : 'h3';
  return (
    <div className={classNames(css.empty, isCompact && css.compact)} data-kind={kind} role={kind === 'error' ? 'alert' : undefined}>
      {kind === 'error' && <StatusIcon tone="bad" className={css.mark} />}
      <Heading className={css.title}>{title}</Heading>
      {children !== undefined && <div className={css.text}>{children}</div>}
      {actions !== undefined && <div className={css.actions}>{actions}</div>}
    </div>
  );
}
