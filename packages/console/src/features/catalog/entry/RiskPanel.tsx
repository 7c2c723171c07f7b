/** Active applications by criticality and risk; numbers link to their lists. */
import { catalogOptionsView } from '@slipway/contract/catalog/directory.ts';
import { catalogRiskView, riskColumns } from '@slipway/contract/catalog/summary.ts';
import { Link } from '@slipway/ui/layout/Link.tsx';
import type { Column } from '@slipway/ui/list/Table.tsx';
import type * as z from 'zod/mini';
import { paths } from '#entities/paths.ts';
import { useQuery } from '#kit/api/query.ts';
import { ListPanel } from '#kit/list/ListPanel.tsx';

type RiskRow = z.infer<typeof catalogRiskView.response>['rows'][number];
type RiskColumn = (typeof riskColumns)[number];

/** Header, and the filter of the linked list if the search has one. */
const facts: Readonly<Record<RiskColumn, { header: string; filter?: string }>> = {
  verified: { header: 'Verified', filter: 'proof=verified' },
  unverified: { header: 'Not verified', filter: 'proof=unverified' },
  withoutOwner: { header: 'No active owner' },
  datePassed: { header: 'Date passed', filter: 'check=dates' },
  openIssue: { header: 'Open issue', filter: 'check=issues' },
};

export function RiskPanel({ kind, id }: { kind: 'platform' | 'portfolio'; id: string }) {
  const risk = useQuery(catalogRiskView, { query: { [`${kind}Id`]: id } });
  const { data: options } = useQuery(catalogOptionsView, {}, { pollMs: 0 });
  const nameOf = (criticality: string | null): string =>
    options?.criticalityCategories.find((option) => option.id === criticality)?.name ?? criticality ?? 'Not set';
  const columns: Column<RiskRow>[] = [
    { key: 'criticality', header: 'Criticality', phone: 'title', cell: ({ criticalityId }) => nameOf(criticalityId) },
    ...riskColumns.map((column): Column<RiskRow> => {
      const { header, filter } = facts[column];
      return {
        key: column,
        header,
        align: 'end',
        cell: ({ criticalityId, counts }) => {
          const count = counts[column] ?? 0;
          if (count === 0 || filter === undefined || criticalityId === null) return <span className="quiet num">{count}</span>;
          const graded = `&criticality=${encodeURIComponent(criticalityId)}`;
          return (
            <Link className="num" href={paths.catalog(`?${kind}=${encodeURIComponent(id)}&${filter}${graded}`)}>
              {count}
            </Link>
          );
        },
      };
    }),
  ];
  return (
    <ListPanel
      label="Where the risk is"
      plural="risk numbers"
      head={{ title: 'Where the risk is', note: 'The last three columns may overlap' }}
      list={risk}
      columns={columns}
      rows={risk.data?.rows ?? []}
      rowKey={({ criticalityId }) => criticalityId ?? ''}
      phone="table"
      loadingRows={4}
    />
  );
}
