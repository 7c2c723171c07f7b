/** Which column of the file fills which field, with values for rows without one. Each change checks all rows anew. */
import { entryKinds } from '@slipway/contract/catalog/entry.ts';
import {
  catalogImportMappingSet,
  importFieldNames,
  importFields,
  type CatalogImport,
  type ImportField,
  type ImportMapping,
} from '@slipway/contract/catalog/import.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { Input } from '@slipway/ui/form/Input.tsx';
import { Select } from '@slipway/ui/form/Select.tsx';
import { count } from '@slipway/ui/format/count.ts';
import { Panel, PanelFoot, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { Table, type Column } from '@slipway/ui/list/Table.tsx';
import { useState } from 'react';
import { useWrite } from '#kit/api/write.ts';
import { reporting } from '#kit/error/global-error.ts';

const none = '-';
const hints: Readonly<Partial<Record<ImportField, string>>> = {
  kind: entryKinds.join(', '),
  owners: 'ada@example.com; …',
  platform: 'PLT-0001, or its name',
  portfolio: 'PFO-001, or its name',
};
type Draft = Record<ImportField, { column: number | null; value: string }>;
const draftOf = (mapping: ImportMapping): Draft =>
  Object.fromEntries(
    importFields.map((field) => [field, { column: mapping[field]?.column ?? null, value: mapping[field]?.value ?? '' }]),
  ) as Draft;
const mappingOf = (draft: Draft): ImportMapping =>
  Object.fromEntries(
    importFields
      .filter((field) => draft[field].column !== null || draft[field].value.trim() !== '')
      .map((field) => [field, { column: draft[field].column, value: draft[field].value.trim() || null }]),
  );

/** Every row needs these. Other fields are shown once a column or a value fills them. */
const needed: readonly ImportField[] = ['kind', 'name', 'description', 'owners', 'platform'];

export function ImportColumns({ one, reload }: { one: CatalogImport; reload: () => Promise<unknown> }) {
  const [draft, setDraft] = useState(() => draftOf(one.mapping));
  const [areAllShown, setAllShown] = useState(false);
  const write = useWrite(catalogImportMappingSet);
  const stored = draftOf(one.mapping);
  const isFilled = (field: ImportField): boolean => [draft, stored].some((of) => of[field].column !== null || of[field].value !== '');
  const shown = importFields.filter((field) => areAllShown || needed.includes(field) || isFilled(field));
  const isChanged = JSON.stringify(mappingOf(draft)) !== JSON.stringify(mappingOf(stored));
  const change = (field: ImportField, patch: Partial<Draft[ImportField]>): void =>
    setDraft({ ...draft, [field]: { ...draft[field], ...patch } });
  const save = reporting(async () => {
    await write.send({ params: { importId: one.id }, body: { mapping: mappingOf(draft) } });
    await reload();
  });
  const options = [
    { value: none, label: 'No column' },
    ...one.columns.map((label, at) => ({ value: String(at), label: label || `Column ${at + 1}` })),
  ];
  const columns: Column<ImportField>[] = [
    { key: 'field', header: 'Field', phone: 'title', cell: (field) => importFieldNames[field] },
    {
      key: 'column',
      header: 'Column of the file',
      phone: 'meta',
      cell: (field) => (
        <Select
          aria-label={`Column for ${importFieldNames[field]}`}
          options={options}
          value={String(draft[field].column ?? none)}
          onChange={(next) => change(field, { column: next === none ? null : Number(next) })}
        />
      ),
    },
    {
      key: 'sample',
      header: 'In the first rows',
      isRoomy: true,
      cell: (field) => (
        <span className="quiet">
          {draft[field].column === null
            ? '–'
            : (one.samples[draft[field].column] ?? [])
                .filter((text) => text !== '')
                .join(' · ')
                .slice(0, 80) || '–'}
        </span>
      ),
    },
    {
      key: 'value',
      header: 'Otherwise',
      phone: 'extra',
      cell: (field) => (
        <Input
          aria-label={`Value for rows without ${importFieldNames[field]}`}
          placeholder={hints[field] ?? ''}
          value={draft[field].value}
          maxLength={500}
          onChange={(event) => change(field, { value: event.target.value })}
        />
      ),
    },
  ];
  return (
    <Panel aria-labelledby="import-columns">
      <PanelHead title="Columns" titleId="import-columns" />
      <Table label="Columns" columns={columns} rows={shown} rowKey={(field) => field} />
      <PanelFoot>
        <Button
          isBusy={write.isBusy}
          busyLabel="Checking"
          {...(isChanged ? {} : { disabledReason: 'Nothing was changed.' })}
          onClick={() => void save()}
        >
          Check again
        </Button>
        {shown.length < importFields.length && (
          <Button variant="quiet" onClick={() => setAllShown(true)}>
            Show {count(importFields.length - shown.length, 'more field', 'more fields')}
          </Button>
        )}
        <span className="quiet">An empty cell leaves a field of an existing entry as it is.</span>
      </PanelFoot>
    </Panel>
  );
}
