/** The first owner of an entry, and how many more it has. */
import type { CatalogPerson } from '@slipway/contract/catalog/entry.ts';
import { Avatar } from '@slipway/ui/text/Avatar.tsx';
import css from './Owners.module.css';

export function Owners({ owners }: { owners: readonly CatalogPerson[] }) {
  const first = owners.find(({ active }) => active) ?? owners[0];
  if (!first) return <span className="meta">Nobody</span>;
  return (
    <span className={css.owner} title={owners.map(({ displayName }) => displayName).join(', ')}>
      <Avatar name={first.displayName} />
      <span className="ell">{first.displayName}</span>
      {!first.active && <span className="meta">left</span>}
      {owners.length > 1 && <span className="meta">+{owners.length - 1}</span>}
    </span>
  );
}
