/** One import: its progress, which column fills which field, and what happens to each row. */
import { entryKinds } from '@slipway/contract/catalog/entry.ts';
import {
  catalogImportDelete,
  catalogImportResult,
  catalogImportRows,
  catalogImportStart,
  catalogImportView,
  importOutcomes,
  type CatalogImport,
  type CatalogImportRow,
} from '@slipway/contract/catalog/import.ts';
import type { ErrorCode } from '@slipway/contract/kernel/errors.ts';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { MetricRow } from '@slipway/ui/figures/MetricRow.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { SegmentedLinks } from '@slipway/ui/form/Segmented.tsx';
import { count } from '@slipway/ui/format/count.ts';
import { Link } from '@slipway/ui/layout/Link.tsx';
import type { Column } from '@slipway/ui/list/Table.tsx';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { Download } from 'lucide-react';
import { useNavigate, useParams } from 'react-router';
import { paths } from '#entities/paths.ts';
import { call, send2xx } from '#kit/api/call.ts';
import { useQuery } from '#kit/api/query.ts';
import { useWrite } from '#kit/api/write.ts';
import { reporting } from '#kit/error/global-error.ts';
import { messageFor } from '#kit/error/messages.ts';
import { ListError } from '#kit/list/ListError.tsx';
import { listDefaults, useListControl } from '#kit/list/list-control.ts';
import { ResourceList } from '#kit/list/ResourceList.tsx';
import { PlainPage } from '#kit/page/PlainPage.tsx';
import { saveFile } from '#kit/save-file.ts';
import { entryKindOf } from '@slipway/contract/catalog/entry-kind-of.ts';
import { pageOf } from '#features/catalog/list/search-state.ts';
import { ImportColumns } from './ImportColumns.tsx';
import { formatNames, isBusy, isFinished, outcomeLooks, progressOf, stateLooks } from './import-looks.ts';

const busyPollMs = 1000;
const idlePollMs = 10_000;

export function Component() {
  const { importId = '' } = useParams();
  const found = useQuery(
    catalogImportView,
    { params: { importId } },
    { pollMs: (data) => (data && isBusy(data) ? busyPollMs : idlePollMs) },
  );
  const one = found.data;
  return (
    <PlainPage
      name={one?.fileName ?? 'Import'}
      title={[one?.fileName ?? 'Import', 'Imports', 'Catalog']}
      typeLabel={one && formatNames[one.format]}
      className="stack stack-24"
      actions={one && <ImportActions one={one} reload={found.mutate} />}
    >
      {one ? <ImportBody one={one} reload={found.mutate} /> : found.error && <ListError what="import" query={found} />}
    </PlainPage>
  );
}

function ImportActions({ one, reload }: { one: CatalogImport; reload: () => Promise<unknown> }) {
  const navigate = useNavigate();
  const start = useWrite(catalogImportStart);
  const { create, change } = one.counts;
  const params = { importId: one.id };
  const isRunning = one.state === 'APPLYING';
  const begin = reporting(async () => {
    await start.send({ params });
    await reload();
  });
  const remove = reporting(async () => {
    await call(catalogImportDelete, { params });
    toast.success(isRunning ? 'The import was canceled' : `${one.fileName} was deleted`);
    if (isRunning) await reload();
    else await navigate(paths.catalogImports());
  });
  const save = reporting(async () => {
    const answer = await send2xx(catalogImportResult, { params }, { accept: 'text/csv' });
    saveFile(await answer.blob(), `result-${one.fileName.replace(/\.\w+$/, '')}.csv`);
  });
  return (
    <>
      <Button icon={<Download aria-hidden="true" />} onClick={() => void save()}>
        Download result
      </Button>
      <Button onClick={() => void remove()}>{isRunning ? 'Cancel import' : 'Delete import'}</Button>
      {one.state === 'CHECKED' && (
        <Button
          variant="primary"
          isBusy={start.isBusy}
          busyLabel="Starting"
          {...(create + change === 0 ? { disabledReason: 'No row creates or changes an entry.' } : {})}
          onClick={() => void begin()}
        >
          Import {count(create + change, 'row')}
        </Button>
      )}
    </>
  );
}

function ImportBody({ one, reload }: { one: CatalogImport; reload: () => Promise<unknown> }) {
  const { counts } = one;
  const number = (value: number) => value.toLocaleString('en');
  const isOver = isFinished(one);
  return (
    <>
      <ImportState one={one} />
      <MetricRow
        label="Rows of the import"
        readings={importOutcomes.map((outcome) => ({
          label: isOver ? outcomeLooks[outcome].after : outcomeLooks[outcome].before,
          value: number(
            counts[({ CREATE: 'create', CHANGE: 'change', SAME: 'same', REFUSED: 'refused', LEFT_OUT: 'leftOut' } as const)[outcome]],
          ),
          href: `?outcome=${outcome}`,
        }))}
      />
      {(one.state === 'CHECKED' || one.state === 'CHECKING') && <ImportColumns key={one.id} one={one} reload={reload} />}
      <ImportRows one={one} />
    </>
  );
}

function ImportState({ one }: { one: CatalogImport }) {
  const { done, all } = progressOf(one);
  const { tone, word } = stateLooks[one.state];
  const { requested } = one.counts;
  return (
    <div className="stack stack-12" role="status">
      <p className="row row-wrap">
        <Status tone={tone} isTinted>
          {word}
        </Status>
        {isBusy(one) && (
          <>
            <progress value={done} max={all} aria-label={`${word}: ${done} of ${count(all, 'row')}`} />
            <span className="quiet">
              {done.toLocaleString('en')} of {count(all, 'row')}. You can leave this page.
            </span>
          </>
        )}
      </p>
      {one.failure !== null && (
        <Notice tone="bad">Slipway canceled the import: {messageFor(one.failure as ErrorCode, { value: 'The importer' })}.</Notice>
      )}
      {one.state === 'CHECKED' && !one.isDirect && (
        <Notice>New entries wait for approval, and so do changes that need one. You can change only entries that you own.</Notice>
      )}
      {requested > 0 && (
        <Notice>
          {count(requested, 'row')} {requested === 1 ? 'waits' : 'wait'} for approval. Follow the{' '}
          <Link href={paths.requests()}>requests</Link>.
        </Notice>
      )}
    </div>
  );
}

const rowColumns: Column<CatalogImportRow>[] = [
  { key: 'line', header: 'Line', align: 'end', width: 72, phone: 'end', cell: ({ line }) => line.toLocaleString('en') },
  {
    key: 'name',
    header: 'Entry',
    phone: 'title',
    cell: ({ kind, name, entryId }) =>
      kind && entryId ? <Link href={paths.catalogEntry({ kind, id: entryId })}>{name ?? entryId}</Link> : (name ?? '–'),
  },
  {
    key: 'kind',
    header: 'Kind',
    phone: 'meta',
    isRoomy: true,
    cell: ({ kind }) => <span className="quiet">{entryKinds.includes(kind as never) && kind ? entryKindOf[kind].subject.label : '–'}</span>,
  },
  {
    key: 'outcome',
    header: 'What happens',
    phone: 'status',
    cell: ({ outcome, isApplied }) =>
      outcome === null ? (
        <Status tone="run">Not checked</Status>
      ) : (
        <Status tone={outcomeLooks[outcome].tone}>{isApplied ? outcomeLooks[outcome].after : outcomeLooks[outcome].before}</Status>
      ),
  },
  {
    key: 'why',
    header: 'Reason',
    phone: 'extra',
    cell: ({ column, field, message, requestId }) => (
      <span className="quiet">
        {message === null ? null : `${(column ?? field) === null ? '' : `${column ?? field}: `}${message}`}
        {requestId !== null && <Link href={paths.requests(requestId)}>{requestId}</Link>}
      </span>
    ),
  },
];
const defaults = { ...listDefaults, outcome: '' };
const pageSize = 50;

function ImportRows({ one }: { one: CatalogImport }) {
  const control = useListControl(defaults, pageSize);
  const { state, hrefOf } = control;
  const outcome = importOutcomes.find((word) => word === state.outcome);
  const isOver = isFinished(one);
  const rows = useQuery(
    catalogImportRows,
    { params: { importId: one.id }, query: { page: state.page, size: pageSize, ...(outcome ? { outcome } : {}) } },
    { keepPreviousData: true, pollMs: isBusy(one) ? busyPollMs : 0 },
  );
  return (
    <section className="stack stack-12" aria-label="Rows">
      <SegmentedLinks
        label="Rows to show"
        items={[
          { label: 'All', href: hrefOf({ outcome: '', page: 0 }), isCurrent: outcome === undefined },
          ...importOutcomes.map((word) => ({
            label: isOver ? outcomeLooks[word].after : outcomeLooks[word].before,
            href: hrefOf({ outcome: word, page: 0 }),
            isCurrent: outcome === word,
          })),
        ]}
      />
      <ResourceList
        label="Rows of the file"
        noun="row"
        plural="rows"
        list={{ ...rows, data: rows.data && pageOf(rows.data) }}
        control={control}
        columns={rowColumns}
        rowKey={({ line }) => String(line)}
        firstUse={{ title: 'No rows', text: 'The file has no rows.' }}
      />
    </section>
  );
}
