/** Imports keys from a pasted, chosen or dropped file. Shows added and changed keys before importing, never values. */
import { Button } from '@slipway/ui/form/Button.tsx';
import { Dialog } from '@slipway/ui/overlay/Dialog.tsx';
import { Field } from '@slipway/ui/form/Field.tsx';
import { bytes } from '@slipway/ui/format/bytes.ts';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { Segmented } from '@slipway/ui/form/Segmented.tsx';
import { Table, type Column } from '@slipway/ui/list/Table.tsx';
import { Textarea } from '@slipway/ui/form/Textarea.tsx';
import { count } from '@slipway/ui/format/count.ts';
import { FileInput } from 'lucide-react';
import { useDeferredValue, useRef, useState } from 'react';
import { useWatch } from 'react-hook-form';
import type { SecretFileFormat } from '#entities/secret-file/secret-file-format.ts';
import { parseSecretFile } from '#entities/secret-file/secret-file.ts';
import { messageFor } from '#kit/error/messages.ts';
import { previewOf, type EntryRow, type ImportedKey } from './entry-rows.ts';
import type { GroupForm } from './group-form.ts';
import css from './ImportDialog.module.css';
import { readSecretFile, type ReadFile } from './read-secret-file.ts';
import { changeLabels } from '#features/secrets/secret-labels.ts';

const formats: { value: SecretFileFormat | 'auto'; label: string }[] = [
  { value: 'auto', label: 'By itself' },
  { value: 'env', label: '.env' },
  { value: 'json', label: 'JSON' },
  { value: 'yaml', label: 'YAML' },
];

const columns: Column<ImportedKey>[] = [
  { key: 'key', header: 'Key', phone: 'title', cell: ({ key }) => <span className="mono">{key}</span> },
  { key: 'change', header: 'Change', phone: 'status', cell: ({ change }) => changeLabels[change] },
  { key: 'size', header: 'Size', align: 'end', phone: 'end', cell: ({ sizeBytes }) => <span className="num">{bytes(sizeBytes)}</span> },
];

const summaryOf = (preview: readonly ImportedKey[]): string => {
  const of = (change: ImportedKey['change']) => preview.filter((item) => item.change === change).length;
  return `${of('ADDED')} added, ${of('CHANGED')} changed, ${of('SAME')} the same`;
};

interface ImportDialogProps {
  control: GroupForm['control'];
  file: ReadFile;
  onClose: () => void;
  onUse: (rows: readonly EntryRow[], entries: readonly { key: string; value: string }[]) => void;
}

export default function ImportDialog({ control, file, onClose, onUse }: ImportDialogProps) {
  const rows = useWatch({ control, name: 'entries' });
  const [{ text, format, problem }, setFile] = useState(file);
  const read = parseSecretFile(useDeferredValue(text), format);
  const preview = previewOf(rows, read.entries);
  const isEmpty = text.trim() === '';
  return (
    <Dialog
      isOpen
      onClose={onClose}
      size="lg"
      title="Keys from a file"
      description="It is read here in the browser. Nothing is saved before you save the form."
      {...(preview.length > 0 ? { footNote: summaryOf(preview) } : {})}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            onClick={() => onUse(rows, read.entries)}
            {...(preview.length === 0 ? { disabledReason: 'There is no key to use yet' } : {})}
          >
            {preview.length === 0 ? 'Use keys' : `Use ${count(preview.length, 'key')}`}
          </Button>
        </>
      }
    >
      <div className="stack stack-12">
        <FileTools file={{ text, ...(format === undefined ? {} : { format }) }} onChange={setFile} />
        <Field
          className={css.wide}
          label="Content of the file"
          hint={isEmpty ? 'KEY=value lines, a flat JSON object, or flat YAML.' : undefined}
          error={problem}
        >
          <Textarea
            isMono
            rows={6}
            value={text}
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => setFile({ text: event.target.value, ...(format === undefined ? {} : { format }) })}
          />
        </Field>
        {!isEmpty && <Problems errors={read.errors} />}
        {preview.length > 0 && (
          <Table label="What the file would change" density="compact" columns={columns} rows={preview} rowKey={({ key }) => key} />
        )}
      </div>
    </Dialog>
  );
}

/** Chooses the format, or a file to read. */
function FileTools({ file: { text, format }, onChange }: { file: ReadFile; onChange: (file: ReadFile) => void }) {
  const chooser = useRef<HTMLInputElement>(null);
  return (
    <div className="row row-wrap">
      <Segmented
        label="Format"
        options={formats}
        value={format ?? 'auto'}
        onChange={(next) => onChange({ text, ...(next === 'auto' ? {} : { format: next }) })}
      />
      <input
        ref={chooser}
        type="file"
        hidden
        accept=".env,.json,.yaml,.yml,.txt,.sh,.ps1,text/*"
        onChange={(event) => {
          const [chosen] = event.target.files ?? [];
          if (chosen) void readSecretFile(chosen).then(onChange);
        }}
      />
      <Button className="push" size="sm" icon={<FileInput aria-hidden="true" />} onClick={() => chooser.current?.click()}>
        Choose a file
      </Button>
    </div>
  );
}

const problemsShown = 5;

function Problems({ errors }: Pick<ReturnType<typeof parseSecretFile>, 'errors'>) {
  if (errors.length === 0) return null;
  return (
    <Notice tone="bad" isLive>
      <p>{count(errors.length, 'line')} cannot be used:</p>
      <ul>
        {errors.slice(0, problemsShown).map((error) => (
          <li key={`${error.line}-${error.code}`}>
            Line {error.line}
            {error.context?.['key'] !== undefined && `, ${error.context['key']}`}: {messageFor(error.code, error.context)}
          </li>
        ))}
        {errors.length > problemsShown && <li>and {errors.length - problemsShown} more</li>}
      </ul>
    </Notice>
  );
}
