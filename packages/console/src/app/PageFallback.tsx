/** Placeholder while a page's code loads: reserves the header's height without any flicker. */
import css from './PageFallback.module.css';

export function PageFallback() {
  return <div className={css.place} aria-busy="true" />;
}
