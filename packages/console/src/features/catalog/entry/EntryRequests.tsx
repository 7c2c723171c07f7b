/** The requests for one entry. */
import type { EntryKind, Records } from '@slipway/contract/catalog/entry.ts';
import type { CatalogRequest } from '@slipway/contract/catalog/request.ts';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { cellMain, type Column } from '@slipway/ui/list/Table.tsx';
import { paths, type CatalogRef } from '#entities/paths.ts';
import { useQuery, type FailedQuery } from '#kit/api/query.ts';
import { statusColumn, timeColumn } from '#kit/list/columns.tsx';
import { listDefaults, useListControl } from '#kit/list/list-control.ts';
import { ResourceList } from '#kit/list/ResourceList.tsx';
import { requestLook, requestNames } from '#features/catalog/request-labels.ts';
import { entryKindOf } from '@slipway/contract/catalog/entry-kind-of.ts';
import { entryCall } from '#features/catalog/entry-kinds.ts';
import { pageOf } from '#features/catalog/list/search-state.ts';

const useRequests = ({ kind, id }: CatalogRef, page = 0) => {
  const query = useQuery(entryKindOf[kind].routes.requests, entryCall({ kind, id }, { query: { page, size: 25 } }), {
    keepPreviousData: true,
  });
  return { ...(query as FailedQuery), data: query.data as Records<CatalogRequest> | undefined };
};

/** The pending ones, newest first. */
export const useOpenRequests = (entry: CatalogRef): CatalogRequest[] =>
  useRequests(entry).data?.content.filter(({ status }) => status === 'PENDING') ?? [];

const columns: Column<CatalogRequest>[] = [
  {
    key: 'request',
    header: 'Request',
    phone: 'title',
    cell: ({ requestId, reqType }) => (
      <Link className={cellMain} href={paths.requests(requestId)}>
        {requestNames[reqType]}
      </Link>
    ),
  },
  { key: 'id', header: 'Id', phone: 'meta', cell: ({ requestId }) => <code className="quiet">{requestId}</code> },
  { key: 'by', header: 'Asked by', cell: ({ requestedBy }) => requestedBy.displayName },
  statusColumn(requestLook),
  {
    key: 'decided',
    header: 'Decided by',
    isRoomy: true,
    cell: ({ actionedBy }) => <span className="quiet">{actionedBy?.displayName ?? '–'}</span>,
  },
  timeColumn('Asked', ({ requestedDate }) => requestedDate),
];

export function EntryRequests(entry: { kind: EntryKind; id: string }) {
  const control = useListControl(listDefaults);
  const list = useRequests(entry, control.state.page);
  return (
    <ResourceList
      label="Requests for this entry"
      noun="request"
      plural="requests"
      list={{ ...list, data: list.data && pageOf(list.data) }}
      control={control}
      columns={columns}
      rowKey={({ requestId }) => requestId}
      firstUse={{ title: 'No requests yet', text: 'Changes that need an approval are listed here.' }}
    />
  );
}
