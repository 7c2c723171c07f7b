/** A line of linked names: the first few, and the number of others. */
import { Link } from '@slipway/ui/layout/Link.tsx';
import css from './ManyNames.module.css';

export interface ManyName {
  name: string;
  href: string;
}

const mostShown = 3;

export function ManyNames({ names, isInText = false }: { names: readonly ManyName[]; isInText?: boolean }) {
  const shown = names.slice(0, mostShown);
  return (
    <span className={css.names}>
      {shown.map(({ name, href }, index) => (
        <span key={href}>
          {index > 0 && ', '}
          <Link className={isInText ? 'in' : undefined} href={href}>
            {name}
          </Link>
        </span>
      ))}
      {names.length > shown.length && ` and ${names.length - shown.length} more`}
    </span>
  );
}
