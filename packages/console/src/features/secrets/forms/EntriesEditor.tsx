/** The keys of a secret group as a form: editable rows, file import, and remaining space. */
import { maxSecretVersionBytes } from '@slipway/contract/secret/secret-entry.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { bytes } from '@slipway/ui/format/bytes.ts';
import { Gauge } from '@slipway/ui/figures/Gauge.tsx';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { count } from '@slipway/ui/format/count.ts';
import { FileInput, Plus } from 'lucide-react';
import { lazy, Suspense, useCallback, useState, type DragEvent } from 'react';
import { useFieldArray, useFormState, useWatch } from 'react-hook-form';
import css from './EntriesEditor.module.css';
import { EntryFields } from './EntryFields.tsx';
import { emptyRow, isBlank, sizeOf, withImported, type EntryRow } from './entry-rows.ts';
import type { GroupForm } from './group-form.ts';
import { readSecretFile, type ReadFile } from './read-secret-file.ts';

const ImportDialog = lazy(() => import('./ImportDialog.tsx'));

export interface EntriesEditorProps {
  form: GroupForm;
  /** Keys of the previous version. */
  known?: readonly string[];
}

function Room({ control }: { control: GroupForm['control'] }) {
  const rows = useWatch({ control, name: 'entries' });
  const size = sizeOf(rows);
  const label = `${bytes(size)} of ${bytes(maxSecretVersionBytes)}`;
  return (
    <span className="row row-wide row-wrap">
      <span className="meta num">{count(rows.filter((row) => !isBlank(row)).length, 'key')}</span>
      <span className={css.size}>
        <Gauge label={`Values: ${label}`} value={size} of={maxSecretVersionBytes}>
          {label}
        </Gauge>
      </span>
    </span>
  );
}

/** The error of the key list as a whole. */
function WholeError({ control }: { control: GroupForm['control'] }) {
  const { errors } = useFormState({ control, name: 'entries' });
  const message = errors.entries?.root?.message ?? errors.entries?.message;
  return message === undefined ? null : (
    <Notice tone="bad" isLive>
      {message}
    </Notice>
  );
}

/** Accepts a file or text dropped anywhere on the keys. */
const useFileDrop = (onFile: (file: ReadFile) => void) => {
  const [isOver, setOver] = useState(false);
  const drop = async (event: DragEvent): Promise<void> => {
    setOver(false);
    const [dropped] = event.dataTransfer.files;
    const text = event.dataTransfer.getData('text/plain');
    if (!dropped && text === '') return;
    event.preventDefault();
    onFile(dropped ? await readSecretFile(dropped) : { text });
  };
  const handlers = {
    onDragOver: (event: DragEvent) => {
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => void drop(event),
  };
  return { isOver, handlers };
};

export function EntriesEditor({ form, known = [] }: EntriesEditorProps) {
  const { control } = form;
  const { fields, append, remove, replace } = useFieldArray({ control, name: 'entries' });
  const [file, setFile] = useState<ReadFile>();
  const { isOver, handlers } = useFileDrop(setFile);
  const onRemove = useCallback((index: number) => remove(index), [remove]);
  const use = (rows: readonly EntryRow[], entries: readonly { key: string; value: string }[]): void => {
    replace(withImported(rows, entries));
    setFile(undefined);
  };
  return (
    <div className={`stack stack-12 ${known.length > 0 ? css.known : ''}`} {...handlers}>
      <div className={`row row-wrap ${css.drop}`} data-over={isOver}>
        <span className="quiet">Drop a .env, JSON or YAML file here.</span>
        <Button size="sm" icon={<FileInput aria-hidden="true" />} onClick={() => setFile({ text: '' })}>
          Paste or choose a file
        </Button>
      </div>
      <div className={`${css.row} ${css.heads}`} aria-hidden="true">
        <span>Key</span>
        <span>Value</span>
        <span>Last day, optional</span>
        <span className={css.spacer} />
      </div>
      <ul className={css.rows}>
        {fields.map((field, index) => (
          <EntryFields key={field.id} control={control} index={index} isKnown={known.includes(field.key)} onRemove={onRemove} />
        ))}
      </ul>
      <WholeError control={control} />
      <div className="row row-wrap">
        <Button
          size="sm"
          icon={<Plus aria-hidden="true" />}
          onClick={() => append(emptyRow, { focusName: `entries.${fields.length}.key` })}
        >
          Add a key
        </Button>
        <span className="push">
          <Room control={control} />
        </span>
      </div>
      {file && (
        <Suspense fallback={null}>
          <ImportDialog control={control} file={file} onClose={() => setFile(undefined)} onUse={use} />
        </Suspense>
      )}
    </div>
  );
}
