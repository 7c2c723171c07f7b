// "Why is it failing": the cause in one sentence, the observations, the changes, and a single filled button for the fix.
import type { ReactNode } from 'react';
import { useId } from 'react';
import { StatusIcon } from './StatusIcon.tsx';
import type { Tone } from '../tone.ts';
import css from './WhyCard.module.css';

export interface WhyCardProps {
  title: ReactNode;
  /** The cause in one or two sentences. */
  children?: ReactNode;
  /** Observations, bad ones first. Include what is safe. */
  seen?: { tone: Tone; text: ReactNode }[];
  /** Heading of the observations. */
  seenTitle?: ReactNode;
  /** The last lines of its log, under the observations. */
  lines?: ReactNode[];
  changed?: ReactNode[];
  /** Heading of the changes ("What changed since revision 87"). */
  changedTitle?: ReactNode;
  actions?: ReactNode;
}

export function WhyCard({
  title,
  children,
  seen = [],
  seenTitle = 'What we saw',
  lines = [],
  changed = [],
  changedTitle = 'What changed',
  actions,
}: WhyCardProps) {
  const id = useId();
  return (
    <section className={css.why} aria-labelledby={id}>
      <div className={css.head}>
        <StatusIcon tone="bad" className={css.headMark} />
        <div>
          <h2 id={id}>{title}</h2>
          {children}
        </div>
      </div>
      <div className={css.grid}>
        {(seen.length > 0 || lines.length > 0) && (
          <div>
            <h3>{seenTitle}</h3>
            <ul className={css.list}>
              {seen.map(({ tone, text }, index) => (
                <li key={index} className={css.seen}>
                  <StatusIcon tone={tone} className={css.mark} />
                  <span>{text}</span>
                </li>
              ))}
            </ul>
            {lines.length > 0 && (
              <>
                <h3>The last lines of its log</h3>
                <ul className={css.list}>
                  {lines.map((line, index) => (
                    <li key={index}>{line}</li>
                  ))}
                </ul>
              </>
            )}
          </div>
        )}
        {changed.length > 0 && (
          <div>
            <h3>{changedTitle}</h3>
            <ul className={css.list}>
              {changed.map((change, index) => (
                <li key={index}>{change}</li>
              ))}
            </ul>
          </div>
        )}
        {actions !== undefined && (
          <div className={css.can}>
            <h3>What you can do</h3>
            <div className={css.actions}>{actions}</div>
          </div>
        )}
      </div>
    </section>
  );
}
