// An inline remark in a page: information, not an error.
import type { ReactNode } from 'react';
import { StatusIcon } from './StatusIcon.tsx';
import css from './Notice.module.css';
import type { Tone } from '../tone.ts';

export interface NoticeProps {
  tone?: Exclude<Tone, 'off'>;
  /** Replaces the tone's mark. */
  icon?: ReactNode;
  children: ReactNode;
  actions?: ReactNode;
  /** Announces the notice to screen readers when it appears. */
  isLive?: boolean;
}

export function Notice({ tone = 'idle', icon, children, actions, isLive = false }: NoticeProps) {
  return (
    <div className={css.notice} data-tone={tone} role={isLive ? 'status' : undefined}>
      <span className={css.mark}>{icon ?? <StatusIcon tone={tone} />}</span>
      <div className={css.text}>{children}</div>
      {actions !== undefined && <div className={css.actions}>{actions}</div>}
    </div>
  );
}
