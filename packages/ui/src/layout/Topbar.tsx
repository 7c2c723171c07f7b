// The bar at the top of every page: logo, main pages, search, running pipelines, and the user's controls.
import { ArrowUpRight, Search } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import { classNames } from '../class-names.ts';
import { Kbd } from '../text/Kbd.tsx';
import { Link } from './Link.tsx';
import { StatusIcon } from '../feedback/StatusIcon.tsx';
import css from './Topbar.module.css';

export interface TopbarProps {
  logo: ReactNode;
  nav?: ReactNode;
  /** Jump, Pipes, theme, account. */
  children?: ReactNode;
}

export function Topbar({ logo, nav, children }: TopbarProps) {
  return (
    <header className={css.topbar}>
      <div className={`wrap ${css.inner}`}>
        {logo}
        {nav}
        <div className={css.end}>{children}</div>
      </div>
    </header>
  );
}

export interface TopbarPlace {
  label: string;
  href: string;
  isCurrent?: boolean;
}

/** Links to the main pages; other sites get an arrow. Hidden on phones, where a menu contains them. */
export function TopbarNav({ items }: { items: TopbarPlace[] }) {
  return (
    <nav className={classNames(css.nav, 'only-wide')} aria-label="Main">
      {items.map(({ label, href, isCurrent }) => (
        <Link key={label} href={href} aria-current={isCurrent ? 'page' : undefined}>
          {label}
          {/^https?:/.test(href) && <ArrowUpRight aria-hidden="true" className={css.out} />}
        </Link>
      ))}
    </nav>
  );
}

/** Looks like a field and opens the palette. An icon on phones. */
export function Jump({ label = 'Search or jump to', ...rest }: { label?: string } & ComponentProps<'button'>) {
  return (
    <button type="button" aria-keyshortcuts="Control+K Meta+K" {...rest} className={css.jump}>
      <Search aria-hidden="true" />
      <span>{label}</span>
      <Kbd keys="Mod K" />
    </button>
  );
}

/** Number of pipelines, as the trigger of their menu: "2 running", or muted text if none is running. */
export function Pipes({ running, failed = 0, ...rest }: { running: number; failed?: number } & ComponentProps<'button'>) {
  const isQuiet = running === 0 && failed === 0;
  const tone = running > 0 ? 'run' : failed > 0 ? 'bad' : 'off';
  const words = running > 0 ? `${running} running` : failed > 0 ? `${failed} failed` : 'No pipelines';
  return (
    <button type="button" {...rest} className={classNames(css.pipes, isQuiet && css.calm, isQuiet && 'only-wide')}>
      <StatusIcon tone={tone} />
      {words}
    </button>
  );
}
