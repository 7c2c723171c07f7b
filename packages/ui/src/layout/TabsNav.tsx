// Tabs that are routes: links in a nav, each with an optional count.
import { useEffect, useRef, type ReactNode } from 'react';
import { classNames } from '../class-names.ts';
import { Link } from './Link.tsx';
import css from './TabsNav.module.css';
import { VisuallyHidden } from './VisuallyHidden.tsx';

export interface TabLink {
  label: string;
  href: string;
  isCurrent?: boolean;
  count?: number;
  /** Colours the count and says in words what it counts ("2 changes", "1 error"). */
  countKind?: 'change' | 'error';
}

export interface TabsNavProps {
  label: string;
  items: TabLink[];
  /** With the line below that runs over the page. */
  hasBar?: boolean;
  children?: ReactNode;
}

/** A count beside a label. Used by tabs and by the section list of settings. */
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
  const list = useRef<HTMLElement>(null);
  const current = items.find(({ isCurrent }) => isCurrent)?.label;
  const counts = items.map(({ count }) => count ?? '').join();
  // On a phone the row scrolls, and the tab that one is on may lie outside of it.
  useEffect(() => {
    const row = list.current;
    const tab = row?.querySelector<HTMLElement>('[aria-current]');
    if (row && tab && row.scrollWidth > row.clientWidth) row.scrollLeft = tab.offsetLeft - (row.clientWidth - tab.offsetWidth) / 2;
    // Counts that come later push it out again.
  }, [current, counts]);
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
