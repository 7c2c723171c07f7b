// Log lines. Problems get a colored edge and a mark; their text keeps the normal color. Lines are rendered in chunks: the browser lays out
// only chunks near the viewport, and React skips unchanged ones. This keeps ten thousand lines scrollable.
import type { ReactNode } from 'react';
import { memo } from 'react';
import { classNames } from '../class-names.ts';
import { logTime } from '../format/relative-time.ts';
import { Link } from '../layout/Link.tsx';
import css from './LogView.module.css';
import { StatusIcon } from '../feedback/StatusIcon.tsx';
import { VisuallyHidden } from '../layout/VisuallyHidden.tsx';

export interface LogLine {
  key: string | number;
  /** Line number; links to the line with `hrefOf`. */
  number?: number;
  /** ISO string or Date; absent for folded lines. */
  at?: string | Date;
  level?: 'debug' | 'info' | 'warn' | 'error';
  /** Short name of the instance or phase ("w5n2c", "build"). */
  source?: string;
  text: ReactNode;
  /** `fold`: "9 more of the same". `marker`: a horizontal rule, for example for a deploy. */
  kind?: 'fold' | 'marker';
}

export interface LogViewProps {
  label: string;
  lines: LogLine[];
  /** Shows a column with the source instead of line numbers. */
  hasSource?: boolean;
  hrefOf?: (line: LogLine) => string;
  /** Key of the line that the URL refers to. */
  currentKey?: string | number;
  /** Shown at the end while more lines may come ("Waiting for the first line"). */
  foot?: ReactNode;
  /** Limits the height, so that the log scrolls on its own. */
  isBounded?: boolean;
}

const CHUNK = 200;

type LineLook = Pick<LogViewProps, 'hasSource' | 'hrefOf' | 'currentKey'>;

function LineNumber({ line, hrefOf }: { line: LogLine } & Pick<LogViewProps, 'hrefOf'>) {
  if (line.number === undefined || hrefOf === undefined) return <span className={css.number}>{line.number}</span>;
  return (
    <Link className={css.number} href={hrefOf(line)} aria-label={`Line ${line.number}`}>
      {line.number}
    </Link>
  );
}

function Line({ line, hasSource, hrefOf, currentKey }: { line: LogLine } & LineLook) {
  if (line.kind === 'marker') {
    return (
      <li className={css.marker}>
        <span>{line.text}</span>
      </li>
    );
  }
  const tone = line.level === 'error' ? 'bad' : line.level === 'warn' ? 'warn' : undefined;
  const date = typeof line.at === 'string' ? new Date(line.at) : line.at;
  return (
    <li
      className={css.line}
      data-level={line.level}
      data-current={line.key === currentKey || undefined}
      id={line.number === undefined ? undefined : `L${line.number}`}
    >
      {!hasSource && <LineNumber line={line} hrefOf={hrefOf} />}
      {hasSource && <span className={css.mark}>{tone && <StatusIcon tone={tone} />}</span>}
      {date === undefined ? <span /> : <time dateTime={date.toISOString()}>{logTime(date)}</time>}
      {!hasSource && <span className={css.mark}>{tone && <StatusIcon tone={tone} />}</span>}
      {hasSource && <span className={css.source}>{line.source}</span>}
      <span className={line.kind === 'fold' ? css.fold : css.text}>
        {tone && <VisuallyHidden>{line.level === 'error' ? 'error: ' : 'warning: '}</VisuallyHidden>}
        {line.text}
      </span>
    </li>
  );
}

interface ChunkProps extends LineLook {
  lines: LogLine[];
}

const Chunk = memo(
  function Chunk({ lines, ...look }: ChunkProps) {
    return (
      <ol className={css.chunk} data-full={lines.length === CHUNK || undefined}>
        {lines.map((line) => (
          <Line key={line.key} line={line} {...look} />
        ))}
      </ol>
    );
  },
  (a, b) =>
    a.hasSource === b.hasSource &&
    a.hrefOf === b.hrefOf &&
    a.currentKey === b.currentKey &&
    a.lines.length === b.lines.length &&
    a.lines.every((line, index) => line === b.lines[index]),
);

export function LogView({ label, lines, hasSource = false, hrefOf, currentKey, foot, isBounded = false }: LogViewProps) {
  const chunks = Array.from({ length: Math.ceil(lines.length / CHUNK) }, (_, index) => lines.slice(index * CHUNK, (index + 1) * CHUNK));
  return (
    <div
      className={classNames(css.log, hasSource && css.withSource, isBounded && css.bounded)}
      role="region"
      aria-label={label}
      // A scrolling box must be reachable by keyboard.
      tabIndex={0}
    >
      {chunks.map((chunk) => (
        <Chunk key={chunk[0]?.key} lines={chunk} hasSource={hasSource} hrefOf={hrefOf} currentKey={currentKey} />
      ))}
      {foot !== undefined && <div className={css.foot}>{foot}</div>}
    </div>
  );
}
