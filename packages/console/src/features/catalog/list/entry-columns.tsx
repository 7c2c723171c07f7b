/** The columns of a list of entries. */
import type { EntryKind } from '@slipway/contract/catalog/entry.ts';
import type { CatalogFound } from '@slipway/contract/catalog/search.ts';
import { Checkbox } from '@slipway/ui/form/Checkbox.tsx';
import type { Column } from '@slipway/ui/list/Table.tsx';
import { paths } from '#entities/paths.ts';
import { nameColumn, statusColumn } from '#kit/list/columns.tsx';
import { stateOf } from '#features/catalog/catalog-labels.ts';
import { entryKindOf } from '@slipway/contract/catalog/entry-kind-of.ts';
import { Owners } from '#features/catalog/entry/Owners.tsx';

export interface Picking {
  isPicked: (id: string) => boolean;
  onPick: (id: string) => void;
}

const quiet = (text: string | null) => <span className="quiet">{text ?? '–'}</span>;

export const entryColumns = (
  kind: EntryKind,
  nameOfOption: (id: string | null) => string | null,
  picking?: Picking,
): Column<CatalogFound>[] => {
  const isApplication = kind === 'application';
  return [
    ...(picking
      ? [
          {
            key: 'pick',
            header: 'Select',
            isHeaderHidden: true,
            width: 36,
            cell: ({ id, name }: CatalogFound) => (
              <Checkbox
                label={<span className="sr">Select {name}</span>}
                checked={picking.isPicked(id)}
                onChange={() => picking.onPick(id)}
              />
            ),
          } satisfies Column<CatalogFound>,
        ]
      : []),
    nameColumn(
      entryKindOf[kind].subject.label,
      ({ id }) => paths.catalogEntry({ kind, id }),
      ({ name }) => name,
    ),
    { key: 'id', header: isApplication ? 'macId' : 'Id', phone: 'meta', cell: ({ id }) => <code className="quiet">{id}</code> },
    ...(kind === 'application' || kind === 'product'
      ? [{ key: 'platform', header: 'Platform', phone: 'extra', cell: ({ platformName }: CatalogFound) => quiet(platformName) } as const]
      : []),
    ...(kind === 'platform'
      ? [
          {
            key: 'portfolio',
            header: 'Portfolio',
            phone: 'extra',
            cell: ({ portfolioName }: CatalogFound) => quiet(portfolioName),
          } as const,
        ]
      : []),
    { key: 'owners', header: 'Owner', isRoomy: true, cell: ({ owners }) => <Owners owners={owners} /> },
    ...(isApplication
      ? [
          {
            key: 'criticality',
            header: 'Criticality',
            isRoomy: true,
            cell: ({ criticality }: CatalogFound) => nameOfOption(criticality) ?? quiet(null),
          },
        ]
      : []),
    statusColumn(stateOf, { header: 'State' }),
  ];
};
