/** Imports of the user, and the choice of a file for another one. */
import { catalogImportCreate, catalogImportList, maxImportRows, type CatalogImport } from '@slipway/contract/catalog/import.ts';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import type { Column } from '@slipway/ui/list/Table.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { FileInput } from 'lucide-react';
import { useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { paths } from '#entities/paths.ts';
import { call } from '#kit/api/call.ts';
import { useQuery } from '#kit/api/query.ts';
import { reportError } from '#kit/error/global-error.ts';
import { ListPanel } from '#kit/list/ListPanel.tsx';
import { PageBody } from '#kit/page/PageBody.tsx';
import { CatalogHeader } from '#features/catalog/CatalogHeader.tsx';
import { formatNames, stateLooks } from './import-looks.ts';

const columns: Column<CatalogImport>[] = [
  { key: 'file', header: 'File', phone: 'title', cell: ({ id, fileName }) => <Link href={paths.catalogImport(id)}>{fileName}</Link> },
  { key: 'format', header: 'Format', phone: 'meta', cell: ({ format }) => <span className="quiet">{formatNames[format]}</span> },
  { key: 'rows', header: 'Rows', align: 'end', phone: 'end', cell: ({ rows }) => rows.toLocaleString('en') },
  { key: 'refused', header: 'Refused', align: 'end', isRoomy: true, cell: ({ counts }) => counts.refused.toLocaleString('en') },
  {
    key: 'state',
    header: 'State',
    phone: 'status',
    cell: ({ state }) => <Status tone={stateLooks[state].tone}>{stateLooks[state].word}</Status>,
  },
  { key: 'at', header: 'Uploaded', isRoomy: true, cell: ({ createdDate }) => <RelativeTime at={createdDate} /> },
];

export function Component() {
  const imports = useQuery(catalogImportList, {});
  return (
    <>
      <CatalogHeader part="Imports" actions={<ChooseFile />} />
      <PageBody className="stack stack-24">
        <p className="quiet">
          A CSV file, a LeanIX export saved as CSV, or a Backstage catalog-info file, with at most {maxImportRows.toLocaleString('en')}{' '}
          rows. You see what would happen before anything is written.
        </p>
        <ListPanel
          label="Imports"
          plural="imports"
          list={imports}
          columns={columns}
          rows={imports.data ?? []}
          rowKey={({ id }) => id}
          empty={
            <EmptyState level={2} kind="first-use" title="No imports yet" actions={<ChooseFile />}>
              Bring the applications that you already have in a spreadsheet or in another catalog.
            </EmptyState>
          }
        />
      </PageBody>
    </>
  );
}

function ChooseFile() {
  const chooser = useRef<HTMLInputElement>(null);
  const navigate = useNavigate();
  const [isUploading, setUploading] = useState(false);
  const upload = async (content: File): Promise<void> => {
    setUploading(true);
    try {
      const type = /\.ya?ml$/i.test(content.name) ? 'application/yaml' : 'text/csv';
      const made = await call(
        catalogImportCreate,
        { query: { fileName: content.name.slice(0, 200) }, body: undefined },
        { file: { content, type } },
      );
      await navigate(paths.catalogImport(made.id));
    } catch (error) {
      reportError(error);
    } finally {
      setUploading(false);
    }
  };
  return (
    <>
      <input
        ref={chooser}
        type="file"
        hidden
        accept=".csv,.tsv,.txt,.yaml,.yml"
        aria-label="File to import"
        onChange={(event) => {
          const [chosen] = event.target.files ?? [];
          // Lets the user choose the same file again.
          event.target.value = '';
          if (chosen) void upload(chosen);
        }}
      />
      <Button
        variant="primary"
        icon={<FileInput aria-hidden="true" />}
        isBusy={isUploading}
        busyLabel="Uploading"
        onClick={() => chooser.current?.click()}
      >
        Import a file
      </Button>
    </>
  );
}
