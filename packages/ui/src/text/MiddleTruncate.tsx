// A long name on one line, truncated in the middle, because the end of a tag or an image matters most. The full name is in the text (for
// copying and screen readers), in the title, and if focusable, visible on focus.
import css from './MiddleTruncate.module.css';
import { classNames } from '../class-names.ts';

export interface MiddleTruncateProps {
  text: string;
  /** Number of characters at the end that are never truncated. */
  tail?: number;
  isMono?: boolean;
  isFocusable?: boolean;
  className?: string;
}

export function MiddleTruncate({ text, tail = 8, isMono = false, isFocusable = false, className }: MiddleTruncateProps) {
  const cut = text.length > tail * 2 ? text.length - tail : text.length;
  return (
    <span className={classNames(css.whole, isMono && 'mono', className)} title={text} tabIndex={isFocusable ? 0 : undefined}>
      <span className={css.head}>{text.slice(0, cut)}</span>
      {cut < text.length && <span className={css.tail}>{text.slice(cut)}</span>}
    </span>
  );
}
