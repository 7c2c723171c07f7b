/** A line of linked names: the first few, and the number of others. */
import { Link } from '@slipway/ui/layout/Link.tsx';
import css from './NameList.module.css';

export interface NamedLink {
  name: string;
  href: string;
}

const mostShown = 3;

export function NameList({ names, isInText = false }: { names: readonly NamedLink[]; isInText?: boolean }) {
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
