// The first stop of the Tab key: jumps over the shell to the page.
import css from './SkipLink.module.css';

export function SkipLink({ target = 'main', children = 'Skip to main content' }: { target?: string; children?: string }) {
  return (
    <a className={css.skip} href={`#${target}`}>
      {children}
    </a>
  );
}
