// The error banner of a page: what failed, that everything else works, the trace id, and what the user can do.
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { useId } from 'react';
import css from './Banner.module.css';
import { Copy } from '../text/Copy.tsx';
import { IconButton } from '../form/IconButton.tsx';
import { StatusIcon } from './StatusIcon.tsx';

export interface BannerProps {
  title: ReactNode;
  children?: ReactNode;
  traceId?: string;
  /** Muted text after the trace id. */
  traceNote?: ReactNode;
  actions?: ReactNode;
  onClose?: () => void;
}

export function Banner({ title, children, traceId, traceNote, actions, onClose }: BannerProps) {
  const id = useId();
  return (
    <section className={css.banner} role="alert" aria-labelledby={id}>
      <div className={css.head}>
        <StatusIcon tone="bad" className={css.mark} />
        <h2 id={id} className={css.title}>
          {title}
        </h2>
        {onClose !== undefined && <IconButton label="Close" variant="quiet" size="sm" icon={<X aria-hidden="true" />} onClick={onClose} />}
      </div>
      <div className={css.body}>
        {children}
        {traceId !== undefined && (
          <p className={css.trace}>
            <span className="mono">Trace Id: {traceId}</span>
            <Copy text={traceId} what="trace id" />
            {traceNote !== undefined && <span className="quiet dense">{traceNote}</span>}
          </p>
        )}
        {actions !== undefined && <div className={css.actions}>{actions}</div>}
      </div>
    </section>
  );
}
