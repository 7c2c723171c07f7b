/** The state of a row of the tree, and which rows are open. */
import type { CatalogTreeNode } from '@slipway/contract/catalog/tree.ts';
import type { StatusLook } from '#entities/status.ts';
import { entryLook, isPast } from '#features/catalog/catalog-labels.ts';

/** The worst fact about an entry or about the applications below it. */
export const treeState = ({ status, owners, kind, verified, targetDecommissioningDate, below }: CatalogTreeNode): StatusLook => {
  if (status !== 'ACTIVE') return entryLook[status];
  if (!owners.some(({ active }) => active)) return { tone: 'bad', word: 'No active owner' };
  if (below && below.withoutOwner > 0) return { tone: 'bad', word: `${below.withoutOwner} without owner` };
  if (isPast(targetDecommissioningDate)) return { tone: 'warn', word: 'Date passed' };
  if (below && below.datePassed > 0) return { tone: 'warn', word: `${below.datePassed} past their date` };
  if (kind !== 'application') return entryLook.ACTIVE;
  return verified ? { tone: 'ok', word: 'Verified' } : { tone: 'warn', word: 'Not verified' };
};

interface OpenState {
  readonly open: readonly string[];
  readonly shut: readonly string[];
}
/** `opened` are open unless they were shut. */
export const toggled = ({ open, shut }: OpenState, opened: readonly string[], id: string): OpenState => {
  const without = (list: readonly string[]) => list.filter((one) => one !== id);
  if (opened.includes(id)) return { open: without(open), shut: shut.includes(id) ? without(shut) : [...shut, id] };
  return { open: open.includes(id) ? without(open) : [...open, id], shut };
};
