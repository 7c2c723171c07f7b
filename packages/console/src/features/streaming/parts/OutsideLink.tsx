/** A link that opens an external page in a new window. */
import { Link } from '@slipway/ui/layout/Link.tsx';
import { ArrowUpRight } from 'lucide-react';
import css from './OutsideLink.module.css';

export const OutsideLink = ({ href }: { href: string }) => (
  <Link className={css.link} href={href} target="_blank" rel="noreferrer">
    {new URL(href).host} <ArrowUpRight aria-hidden="true" />
  </Link>
);
