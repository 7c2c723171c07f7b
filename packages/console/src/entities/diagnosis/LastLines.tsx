/** The last lines that a failing program wrote, each a link to its place in the log. */
import type { Diagnosis } from '@slipway/contract/service/diagnosis.ts';
import { Link } from '@slipway/ui/layout/Link.tsx';
import type { ReactNode } from 'react';
import { cleanText, clockOf, levelOf } from '#kit/log/log-line.ts';
import css from './LastLines.module.css';
import { logLineHref, type RevisionRef } from './diagnosis-labels.ts';

const shown = 6;

/** Empty for those who may not read the log, and where it wrote nothing. */
export const lastLines = ({ evidence: { lastLines: lines } }: Diagnosis, ref: RevisionRef): ReactNode[] =>
  lines.slice(-shown).map((line) => {
    const text = cleanText(line.line);
    return (
      <span key={`${line.instance}:${line.number}`} className={css.line} data-level={levelOf(text)}>
        <Link href={logLineHref(ref, line)}>
          <time dateTime={line.at}>{clockOf(line.at)}</time>
        </Link>{' '}
        <code className={css.text}>{text}</code>
      </span>
    );
  });
export const lastLinesTitle = 'The last lines of its log';
