// The page's running pipeline, on the EnvironmentBar. The lower edge shows its progress.
import type { ReactNode } from 'react';
import { cssVars, percent } from '../css-vars.ts';
import { Link } from './Link.tsx';
import css from './PipelineStrip.module.css';
import { Status } from '../feedback/Status.tsx';
import type { Tone } from '../tone.ts';

export interface PipelineStripProps {
  tone?: Tone;
  title: ReactNode;
  /** Current activity ("taking over, 2 of 3 ready"). */
  note?: ReactNode;
  /** Author and start; hidden on phones. */
  meta?: ReactNode;
  href?: string;
  /** Completed share, 0 to 1. */
  progress?: number;
}

export function PipelineStrip({ tone = 'run', title, note, meta, href, progress }: PipelineStripProps) {
  return (
    <div className={css.passing} data-tone={tone}>
      <Status tone={tone} isTinted>
        {title}
      </Status>
      {note !== undefined && <span className="ell">{note}</span>}
      {meta !== undefined && <span className="meta only-wide">{meta}</span>}
      {href !== undefined && (
        <Link className="push" href={href}>
          View<span className="only-wide"> pipeline</span>
        </Link>
      )}
      {progress !== undefined && (
        <span className={css.track} aria-hidden="true">
          <i style={cssVars({ '--done': percent(progress) })} />
        </span>
      )}
    </div>
  );
}
