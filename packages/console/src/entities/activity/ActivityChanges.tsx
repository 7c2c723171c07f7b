/** The changes of one entry, before and after, one row per field. */
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { Table, type Column } from '@slipway/ui/list/Table.tsx';
import type { Tone } from '@slipway/ui/tone.ts';
import { VisuallyHidden } from '@slipway/ui/layout/VisuallyHidden.tsx';
import css from './ActivityLog.module.css';
import { fieldDiff, type FieldChange, type FieldChangeKind } from './field-diff.ts';

const looks: Readonly<Record<FieldChangeKind, readonly [Tone, string]>> = {
  added: ['ok', 'Added'],
  removed: ['warn', 'Removed'],
  changed: ['run', 'Changed'],
  same: ['idle', 'The same'],
};

function Value({ text, kind }: { text: string | undefined; kind?: 'before' | 'after' | undefined }) {
  if (text === undefined) return <span className="meta">–</span>;
  if (text === '') return <span className="meta">empty</span>;
  return (
    <span className={css.value} data-kind={kind}>
      {text}
    </span>
  );
}

const fieldColumn: Column<FieldChange> = {
  key: 'field',
  header: 'Field',
  cell: ({ label, path }) => (
    <span className={label === path ? 'mono' : 'strong'} title={path}>
      {label}
    </span>
  ),
};
const diffColumns: Column<FieldChange>[] = [
  fieldColumn,
  { key: 'before', header: 'Before', cell: ({ before, kind }) => <Value text={before} kind={kind === 'same' ? undefined : 'before'} /> },
  { key: 'after', header: 'After', cell: ({ after, kind }) => <Value text={after} kind={kind === 'same' ? undefined : 'after'} /> },
  {
    key: 'kind',
    header: 'Change',
    cell: ({ kind }) => <Status tone={looks[kind][0]}>{looks[kind][1]}</Status>,
  },
];
const valueColumns: Column<FieldChange>[] = [
  fieldColumn,
  { key: 'value', header: 'Value', cell: ({ before, after }) => <Value text={after ?? before} /> },
];

export function ActivityChanges({ before, after }: { before: unknown; after: unknown }) {
  const fields = fieldDiff(before, after);
  if (fields.length === 0) return <p className="meta">This entry keeps no values.</p>;
  const isDiff = before !== null && after !== null;
  const changed = isDiff ? fields.filter(({ kind }) => kind !== 'same') : fields;
  const same = fields.length - changed.length;
  const title = isDiff ? 'What changed' : after === null ? 'What was there' : 'What was written';
  return (
    <section className="stack stack-8">
      <h3>
        {title}
        {same > 0 && <span className="meta"> · {same} more the same</span>}
      </h3>
      {changed.length === 0 ? (
        <p className="meta">Nothing differs.</p>
      ) : (
        <div className={css.changes} tabIndex={0} role="region" aria-label={title}>
          <Table
            label={title}
            density="compact"
            phone="flow"
            columns={isDiff ? diffColumns : valueColumns}
            rows={changed}
            rowKey={({ path }) => path}
          />
        </div>
      )}
      {isDiff && <VisuallyHidden>{changed.length} fields changed</VisuallyHidden>}
    </section>
  );
}
