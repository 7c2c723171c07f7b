// The logo, a hull on its slip, with the product's name.
import { Link } from './Link.tsx';
import css from './Logo.module.css';

/** Without `href` the logo is not a link, as on the sign-in page. */
export function Logo({ href, name = 'Slipway' }: { href?: string; name?: string }) {
  const content = (
    <>
      <svg viewBox="0 0 24 24" aria-hidden="true">
        <path d="M1 20.5h22" stroke="currentColor" strokeWidth="2.5" fill="none" />
        <path d="M2.5 8.5 16 17.4" stroke="currentColor" strokeWidth="2.5" fill="none" />
        <path d="m8.6 2.6 11 7.2-5.3 3.8L5.7 8z" className={css.hull} />
      </svg>
      {name}
    </>
  );
  if (href === undefined) return <span className={css.logo}>{content}</span>;
  return (
    <Link className={css.logo} href={href}>
      {content}
    </Link>
  );
}
