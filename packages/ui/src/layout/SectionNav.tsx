// The sticky list of sections next to a long form, each with its number of changes and errors; on phones a scrolling row.
import { Link } from './Link.tsx';
import css from './SectionNav.module.css';
import { Count, type TabLink } from './TabsNav.tsx';

export interface SectionLink extends TabLink {
  /** Shown next to the number of changes. */
  errorCount?: number;
}

export function SectionNav({ label, items }: { label: string; items: SectionLink[] }) {
  return (
    <nav className={css.nav} aria-label={label}>
      {items.map((item) => (
        <Link key={item.label} href={item.href} aria-current={item.isCurrent ? 'true' : undefined}>
          {item.label}
          <span className={css.counts}>
            {item.count !== undefined && <Count value={item.count} kind={item.countKind} />}
            {item.errorCount !== undefined && <Count value={item.errorCount} kind="error" />}
          </span>
        </Link>
      ))}
    </nav>
  );
}
