// One grey bar in the box of what will come. Loading decides when it may show.
import css from './Skeleton.module.css';
import { cssVars } from '../css-vars.ts';

/** Width and height in px; without width it takes the whole line. */
export function Skeleton({ width, height = 12 }: { width?: number; height?: number }) {
  return (
    <span
      className={css.skeleton}
      aria-hidden="true"
      style={cssVars({ '--width': width === undefined ? '100%' : `${width}px`, '--height': `${height}px` })}
    />
  );
}
