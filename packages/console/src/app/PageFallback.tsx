/** The place of a page whose code is still coming: the header's height, nothing that flickers. */
import css from './PageFallback.module.css';

export function PageFallback() {
  return <div className={css.place} aria-busy="true" />;
}
