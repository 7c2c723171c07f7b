// Tabs that are routes: links in a nav, each with an optional count.
import type { ReactNode } from 'react';
import { classNames } from '../class-names.ts';
import { Link } from './Link.tsx';
import css from './TabsNav.module.css';
import { useCurrentInView } from './use-current-in-view.ts';
import { VisuallyHidden } from './VisuallyHidden.tsx';

export interface TabLink {
  label: string;
  href: string;
  isCurrent?: boolean;
  count?: number;
  /** Colors the count and names its unit ("2 changes", "1 error", "3 requests"). */
  countKind?: 'change' | 'error' | 'request';
}

export interface TabsNavProps {
  label: string;
  items: TabLink[];
  /** Adds the full-width line below. */
  hasBar?: boolean;
  children?: ReactNode;
}

/** A count next to a label, for tabs and for the section list of settings. */
export function Count({ value, kind }: { value: number; kind?: TabLink['countKind'] }) {
  const word = kind === undefined ? '' : value === 1 ? ` ${kind}` : ` ${kind}s`;
  return (
    <span className={css.count} data-kind={kind}>
      {value.toLocaleString('en')}
      {word !== '' && <VisuallyHidden>{word}</VisuallyHidden>}
    </span>
  );
}

export function TabsNav({ label, items, hasBar = false }: TabsNavProps) {
  const current = items.find(({ isCurrent }) => isCurrent)?.label;
  const list = useCurrentInView<HTMLElement>(current, items.map(({ count }) => count ?? '').join());
  return (
    <nav ref={list} className={classNames(css.tabs, hasBar && css.bar)} aria-label={label}>
      {items.map((item) => (
        <Link key={item.label} href={item.href} aria-current={item.isCurrent ? 'page' : undefined}>
          {item.label}
          {item.count !== undefined && <Count value={item.count} kind={item.countKind} />}
        </Link>
      ))}
    </nav>
  );
}
