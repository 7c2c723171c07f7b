// The footer of every page: owner at the left, links at the right.
import type { ReactNode } from 'react';
import css from './Footer.module.css';
import { Link } from './Link.tsx';

export function Footer({ owner, links }: { owner: ReactNode; links: { label: string; href: string }[] }) {
  return (
    <footer className={css.footer}>
      <div className={`wrap ${css.inner}`}>
        <span>{owner}</span>
        <ul className={css.links}>
          {links.map(({ label, href }) => (
            <li key={label}>
              <Link href={href}>{label}</Link>
            </li>
          ))}
        </ul>
      </div>
    </footer>
  );
}
