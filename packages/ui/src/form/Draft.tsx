// The timeline of revisions: numbers down the left like the draft scale on a hull. A thick line marks the serving revision, a dashed accent
// line the one that is taking over, small ticks settings and secrets.
import type { ReactNode } from 'react';
import { Link } from '../layout/Link.tsx';
import css from './Draft.module.css';
import { VisuallyHidden } from '../layout/VisuallyHidden.tsx';

export interface DraftRowProps {
  /** Number of the revision. */
  number?: number;
  kind?: 'past' | 'serving' | 'taking';
  title: ReactNode;
  href?: string;
  /** Author, reason, serving time. */
  summary?: ReactNode;
  /** A Status with `isTinted`. */
  status?: ReactNode;
  /** A RelativeTime. */
  time?: ReactNode;
  /** Anchor for links to this entry. */
  id?: string;
}

const KIND_WORDS = { past: '', serving: ', serving', taking: ', taking over' };

export function DraftRow({ number, kind = 'past', title, href, summary, status, time, id }: DraftRowProps) {
  return (
    <li className={css.row} data-kind={kind} id={id}>
      <span className={css.number}>
        <VisuallyHidden>Revision </VisuallyHidden>
        {number}
        <VisuallyHidden>{KIND_WORDS[kind]}</VisuallyHidden>
      </span>
      <div className={css.words}>
        <div className={css.title}>{href === undefined ? title : <Link href={href}>{title}</Link>}</div>
        {summary !== undefined && <div className={css.summary}>{summary}</div>}
      </div>
      <div className={css.end}>
        {status}
        <span className="meta num">{time}</span>
      </div>
    </li>
  );
}

/** A change without a revision of its own, or one that came with a revision: a small tick. */
export function DraftNote({ icon, children, time, id }: { icon?: ReactNode; children: ReactNode; time?: ReactNode; id?: string }) {
  return (
    <li className={css.row} data-kind="note" id={id}>
      <span className={css.number} aria-hidden="true" />
      <div className={css.note}>
        {icon}
        <span className="ell">{children}</span>
      </div>
      <div className={css.end}>
        <span className="meta num">{time}</span>
      </div>
    </li>
  );
}

export function Draft({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ol className={css.draft} aria-label={label}>
      {children}
    </ol>
  );
}
