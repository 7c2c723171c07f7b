/** The last log lines of a failing program, each linked to its place in the log. Repeats are collapsed. */
import type { Diagnosis } from '@slipway/contract/service/diagnosis.ts';
import { Link } from '@slipway/ui/layout/Link.tsx';
import type { ReactNode } from 'react';
import { cleanText, clockOf, levelOf, messageOfLine } from '#kit/log/log-line.ts';
import css from './LastLines.module.css';
import { logLineHref, timesLabel, type RevisionRef } from './diagnosis-labels.ts';

const shown = 4;
const shownFields = 6;

type Line = Diagnosis['evidence']['lastLines'][number];

/** Collapses consecutive lines with the same message into the newest one, with a count. */
const folded = (lines: readonly Line[]) => {
  const groups: { line: Line; text: string; message: string; fields: readonly string[]; count: number }[] = [];
  for (const line of lines) {
    const text = cleanText(line.line);
    const { message, fields } = messageOfLine(text);
    const last = groups.at(-1);
    const isAgain = last?.message === message && (message !== '' || last.fields.join() === fields.join());
    if (isAgain) groups.pop();
    groups.push({ line, text, message, fields, count: isAgain ? last.count + 1 : 1 });
  }
  return groups;
};

/** Returns nothing if the user may not read the log or the log is empty. */
export const lastLines = ({ evidence: { lastLines: lines } }: Diagnosis, ref: RevisionRef): ReactNode[] =>
  folded(lines)
    .slice(-shown)
    .map(({ line, text, message, fields, count }) => (
      <span key={`${line.instance}:${line.number}`} className={css.line} data-level={levelOf(text)}>
        <Link href={logLineHref(ref, line)}>
          <time dateTime={line.at}>{clockOf(line.at)}</time>
        </Link>{' '}
        {message !== '' && <code className={css.text}>{message}</code>}
        {fields.length > 0 && <span className={css.fields}> {fields.slice(0, shownFields).join(' ')}</span>}
        {count > 1 && <span className="quiet"> {timesLabel(count)}</span>}
      </span>
    ));
