// Breadcrumbs. The last one is the current page and not a link.
import type { ReactNode } from 'react';
import css from './Crumbs.module.css';
import { Link } from './Link.tsx';

export interface Crumb {
  label: ReactNode;
  href?: string;
}

export function Crumbs({ items }: { items: Crumb[] }) {
  return (
    <nav aria-label="Breadcrumb">
      <ol className={css.crumbs}>
        {items.map(({ label, href }, index) => (
          <li key={href ?? index}>
            {href === undefined || index === items.length - 1 ? <span aria-current="page">{label}</span> : <Link href={href}>{label}</Link>}
          </li>
        ))}
      </ol>
    </nav>
  );
}
