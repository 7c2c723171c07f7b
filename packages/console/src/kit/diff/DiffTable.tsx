/** Removed and added lines with the differing words marked. A table, so that screen readers can go line by line. */
import { VisuallyHidden } from '@slipway/ui/layout/VisuallyHidden.tsx';
import type { ReactNode } from 'react';
import css from './DiffTable.module.css';
import type { DiffLine } from './text-lines.ts';

const signs = { del: '−', add: '+', same: '', gap: '⋯' };
const words = { del: 'was', add: 'becomes', same: 'stays', gap: '' };

export interface DiffTableProps {
  label: string;
  /** True inside a panel, which has its own frame. */
  isFlush?: boolean;
  /** `DiffSection`s. */
  children: ReactNode;
}

export function DiffTable({ label, isFlush = false, children }: DiffTableProps) {
  return (
    <div className={isFlush ? undefined : css.frame}>
      <table className={css.diff} aria-label={label}>
        {children}
      </table>
    </div>
  );
}

export function DiffSection({ title, children }: { title?: ReactNode; children: ReactNode }) {
  return (
    <tbody>
      {title !== undefined && (
        <tr>
          <th className={css.section} colSpan={2} scope="rowgroup">
            {title}
          </th>
        </tr>
      )}
      {children}
    </tbody>
  );
}

/** `labelOf` returns the prefix of a line: the name of the changed setting. */
export function DiffLines({ lines, labelOf }: { lines: readonly DiffLine[]; labelOf?: (index: number) => string | undefined }) {
  return lines.map((line, index) => (
    <tr key={index} className={css[line.kind]}>
      <td className={css.sign}>
        <span aria-hidden="true">{signs[line.kind]}</span>
        <VisuallyHidden>{words[line.kind]}</VisuallyHidden>
      </td>
      <td>
        <Line line={line} label={labelOf?.(index)} />
      </td>
    </tr>
  ));
}

function Line({ line, label }: { line: DiffLine; label: string | undefined }) {
  const Marked = line.kind === 'del' ? 'del' : 'ins';
  return (
    <>
      {label !== undefined && line.kind !== 'same' && line.kind !== 'gap' && `${label}: `}
      {line.parts.map((part, index) => (part.isMarked ? <Marked key={index}>{part.text}</Marked> : <span key={index}>{part.text}</span>))}
    </>
  );
}
