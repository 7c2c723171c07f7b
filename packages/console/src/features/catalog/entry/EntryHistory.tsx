/** The writes on one entry, newest first, each with its changes. */
import type { EntryKind, Records } from '@slipway/contract/catalog/entry.ts';
import type { CatalogHistoryEntry } from '@slipway/contract/catalog/entry-routes.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { Dialog } from '@slipway/ui/overlay/Dialog.tsx';
import type { Column } from '@slipway/ui/list/Table.tsx';
import { useState } from 'react';
import type * as z from 'zod/mini';
import { ActivityChanges } from '#entities/activity/ActivityChanges.tsx';
import { useQuery } from '#kit/api/query.ts';
import { timeColumn } from '#kit/list/columns.tsx';
import { listDefaults, useListControl } from '#kit/list/list-control.ts';
import { ResourceList } from '#kit/list/ResourceList.tsx';
import { entryKindOf } from '@slipway/contract/catalog/entry-kind-of.ts';
import { entryCall } from '#features/catalog/entry-kinds.ts';
import { pageOf } from '#features/catalog/list/search-state.ts';

type Write = z.infer<typeof CatalogHistoryEntry>;

export function EntryHistory({ kind, id }: { kind: EntryKind; id: string }) {
  const control = useListControl(listDefaults);
  const [shown, setShown] = useState<Write>();
  const call = entryCall({ kind, id }, { query: { page: control.state.page, size: 25 } });
  const query = useQuery(entryKindOf[kind].routes.history, call, { keepPreviousData: true });
  const data = query.data as Records<Write> | undefined;
  const columns: Column<Write>[] = [
    {
      key: 'message',
      header: 'What happened',
      phone: 'title',
      cell: (write) => (
        <Button variant="quiet" size="sm" onClick={() => setShown(write)}>
          {write.message}
        </Button>
      ),
    },
    { key: 'actor', header: 'By', phone: 'meta', cell: ({ actor }) => actor.displayName },
    timeColumn('When', ({ at }) => at, { phone: 'end' }),
  ];
  return (
    <>
      <ResourceList
        label="History of this entry"
        noun="write"
        plural="writes"
        list={{ ...query, data: data && pageOf(data), mutate: query.mutate }}
        control={control}
        columns={columns}
        rowKey={(write) => write.id}
        firstUse={{ title: 'No history yet', text: 'Every write on this entry is listed here.' }}
      />
      <Dialog
        isOpen={shown !== undefined}
        onClose={() => setShown(undefined)}
        size="lg"
        hasClose
        title={shown?.message ?? ''}
        actions={<Button onClick={() => setShown(undefined)}>Close</Button>}
      >
        {shown && <ActivityChanges before={shown.before} after={shown.after} />}
      </Dialog>
    </>
  );
}
