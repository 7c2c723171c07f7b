// The sticky list of sections beside a long form, each with its count of changes and errors; on phones a row that scrolls.
import { Link } from './Link.tsx';
import css from './SectionNav.module.css';
import { Count, type TabLink } from './TabsNav.tsx';

export function SectionNav({ label, items }: { label: string; items: TabLink[] }) {
  return (
    <nav className={css.nav} aria-label={label}>
      {items.map((item) => (
        <Link key={item.label} href={item.href} aria-current={item.isCurrent ? 'true' : undefined}>
          {item.label}
          {item.count !== undefined && <Count value={item.count} kind={item.countKind} />}
        </Link>
      ))}
    </nav>
  );
}
