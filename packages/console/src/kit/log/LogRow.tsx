/** One line of a log. Warnings and errors have an edge and an icon; the text keeps its color. The time links to the line. */
import { classNames } from '@slipway/ui/class-names.ts';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { StatusIcon } from '@slipway/ui/feedback/StatusIcon.tsx';
import { VisuallyHidden } from '@slipway/ui/layout/VisuallyHidden.tsx';
import { memo } from 'react';
import { piecesOf } from './log-filter.ts';
import { clockOf, type LogLine } from './log-line.ts';
import css from './LogViewer.module.css';

export interface LogRowProps {
  line: LogLine;
  /** Position among the shown lines, from 1. */
  place: number;
  /** Index of the line's instance, for its color; undefined if the log has only one source. */
  hue: number | undefined;
  /** Matches to highlight in the text. */
  marker: RegExp | undefined;
  isCurrent: boolean;
  href: string;
}

const hues = 6;
const shortSource = (source: string): string => source.slice(source.lastIndexOf('-') + 1);

function Text({ text, marker }: { text: string; marker: RegExp | undefined }) {
  const pieces = piecesOf(text, marker);
  if (pieces.length === 1) return text === '' ? ' ' : text;
  return pieces.map((piece, index) => (index % 2 === 1 ? <mark key={index}>{piece}</mark> : piece));
}

export const LogRow = memo(function LogRow({ line, place, hue, marker, isCurrent, href }: LogRowProps) {
  const { level, source, text, messageLength = text.length } = line;
  return (
    <li
      className={classNames(css.line, hue === undefined && css.single)}
      data-level={level}
      data-current={isCurrent || undefined}
      aria-posinset={place}
      aria-setsize={-1}
    >
      <span className={css.mark}>{level !== 'info' && <StatusIcon tone={level === 'error' ? 'bad' : 'warn'} />}</span>
      {hue === undefined && <span className={css.number}>{line.number}</span>}
      {/* A tab stop per line would make the rest of the page unreachable by Tab: J and K mark a line instead. */}
      <Link className={css.time} href={href} tabIndex={isCurrent ? 0 : -1} title={line.at}>
        <time dateTime={line.at}>{clockOf(line.at)}</time>
      </Link>
      {hue !== undefined && source !== undefined && (
        <span className={css.source} data-hue={hue % hues} title={source}>
          {shortSource(source)}
        </span>
      )}
      <span className={css.text}>
        {level !== 'info' && <VisuallyHidden>{level === 'error' ? 'error: ' : 'warning: '}</VisuallyHidden>}
        <Text text={text.slice(0, messageLength)} marker={marker} />
        {messageLength < text.length && (
          <span className={css.fields}>
            <Text text={text.slice(messageLength)} marker={marker} />
          </span>
        )}
      </span>
    </li>
  );
});
