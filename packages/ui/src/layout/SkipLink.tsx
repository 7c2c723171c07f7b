// The first tab stop: skips the navigation and jumps to the page content.
import css from './SkipLink.module.css';

export function SkipLink({ target = 'main', children = 'Skip to main content' }: { target?: string; children?: string }) {
  return (
    <a className={css.skip} href={`#${target}`}>
      {children}
    </a>
  );
}
