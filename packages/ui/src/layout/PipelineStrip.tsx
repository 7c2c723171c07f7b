// The pipeline of this page riding on the waterline; its progress is its lower edge.
import type { ReactNode } from 'react';
import { cssVars, percent } from '../css-vars.ts';
import { Link } from './Link.tsx';
import css from './PipelineStrip.module.css';
import { Status } from '../feedback/Status.tsx';
import type { Tone } from '../tone.ts';

export interface PipelineStripProps {
  tone?: Tone;
  title: ReactNode;
  /** What is going on in words ("taking over, 2 of 3 ready"). */
  note?: ReactNode;
  /** Who and since when; leaves on phones. */
  meta?: ReactNode;
  href?: string;
  /** Share done, 0 to 1. */
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
