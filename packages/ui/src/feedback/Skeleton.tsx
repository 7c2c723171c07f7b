// A gray bar in place of content that is loading. Loading decides when it may show.
import css from './Skeleton.module.css';
import { cssVars } from '../css-vars.ts';

/** Width and height in px. Without width it fills the line. */
export function Skeleton({ width, height = 12 }: { width?: number; height?: number }) {
  return (
    <span
      className={css.skeleton}
      aria-hidden="true"
      style={cssVars({ '--width': width === undefined ? '100%' : `${width}px`, '--height': `${height}px` })}
    />
  );
}
