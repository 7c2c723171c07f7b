/** Edits one environment variable: name, source and value, with a warning if the value looks like a secret. */
import { looksLikeSecret } from '@slipway/contract/secret/secret-look.ts';
import { planTextOf } from '@slipway/contract/pipeline/plan.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { Combobox } from '@slipway/ui/form/Combobox.tsx';
import { Field } from '@slipway/ui/form/Field.tsx';
import { IconButton } from '@slipway/ui/form/IconButton.tsx';
import { Input } from '@slipway/ui/form/Input.tsx';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { Select } from '@slipway/ui/form/Select.tsx';
import { Textarea } from '@slipway/ui/form/Textarea.tsx';
import { Check, Trash2 } from 'lucide-react';
import { lazy, Suspense, useEffect, useEffectEvent, useRef, useState, type ClipboardEvent, type KeyboardEvent } from 'react';
import { envPath, envRowsOf, type EnvRow } from '#features/services/settings/draft.ts';
import { addButtonId, editButtonId, isPastedFile, withSource } from './env-rows.ts';
import css from './EnvironmentSection.module.css';
import { focusField, focusLater } from '#features/services/settings/focus-field.ts';
import { fieldId, useSettings } from '#features/services/settings/settings-context.ts';

const MoveSecretDialog = lazy(() => import('./MoveSecretDialog.tsx'));

const sources = [
  { value: 'STATIC', label: 'Static' },
  { value: 'SECRET_KEY', label: 'Secret key' },
] as const;

export interface EnvEditorProps {
  onOpen: (rowKey: string, isOpen: boolean) => void;
  /** Called if the user pasted a whole file into the name field. */
  onPasteFile: (text: string) => void;
  row: EnvRow;
  index: number;
  /** True if the user opened the row. Rows with errors open automatically and must not take the focus. */
  isAsked: boolean;
  nameError: string | undefined;
  valueError: string | undefined;
}

export function EnvEditor({ row, index, isAsked, nameError, valueError, onOpen, onPasteFile }: EnvEditorProps) {
  const { store } = useSettings();
  const name = useRef<HTMLInputElement>(null);
  const path = `${envPath}.${index}`;
  const focusFirst = useEffectEvent(() => {
    if (!isAsked) return;
    if (row.name === '') name.current?.focus();
    else focusField(`${path}.${row.source === 'STATIC' ? 'value' : 'secretKey'}`);
  });
  useEffect(() => focusFirst(), []);
  const set = (next: Partial<EnvRow>): void => store.set(path, { ...row, ...next });
  const close = (): void => {
    onOpen(row.rowKey ?? '', false);
    focusLater(editButtonId(row));
  };
  const remove = (): void => {
    store.set(envPath, envRowsOf(store.get().draft).toSpliced(index, 1));
    focusLater(addButtonId);
  };
  const paste = (event: ClipboardEvent): void => {
    const text = event.clipboardData.getData('text/plain');
    if (!isPastedFile(text)) return;
    event.preventDefault();
    // The empty row is no longer needed, because the file contains the name.
    if (row.name === '' && !row.value) remove();
    onPasteFile(text);
  };
  const closeByKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    close();
  };
  return (
    <div className={css.open}>
      <Field label="Name" id={fieldId(`${path}.name`)} error={nameError}>
        <Input
          ref={name}
          isMono
          spellCheck={false}
          autoCapitalize="off"
          value={row.name}
          placeholder="LOG_LEVEL"
          onChange={({ target }) => set({ name: target.value.trim() })}
          onPaste={paste}
          onKeyDown={closeByKey}
        />
      </Field>
      <Field label="From">
        <Select options={[...sources]} value={row.source} onChange={(source) => store.set(path, withSource(row, source))} />
      </Field>
      {row.source === 'STATIC' ? (
        <ValueField path={path} row={row} error={valueError} onChange={(value) => set({ value })} onEnter={closeByKey} />
      ) : (
        <KeyField path={path} row={row} error={valueError} onChange={set} />
      )}
      <span className={css.actions}>
        <IconButton
          size="sm"
          variant="quiet"
          label={`Done with ${row.name || 'the variable'}`}
          icon={<Check aria-hidden="true" />}
          onClick={close}
        />
        <IconButton
          size="sm"
          variant="quiet"
          label={`Remove ${row.name || 'the variable'}`}
          icon={<Trash2 aria-hidden="true" />}
          onClick={remove}
        />
      </span>
      <SecretWarning row={row} />
    </div>
  );
}

interface ValueFieldProps<Change> {
  path: string;
  row: EnvRow;
  error: string | undefined;
  onChange: (change: Change) => void;
}
function ValueField({ path, row, error, onChange, onEnter }: ValueFieldProps<string> & { onEnter: (event: KeyboardEvent) => void }) {
  const value = row.value ?? '';
  const lines = value.split('\n').length;
  return (
    <Field label="Value" id={fieldId(`${path}.value`)} error={error}>
      {lines > 1 ? (
        <Textarea isMono spellCheck={false} rows={Math.min(lines, 8)} value={value} onChange={({ target }) => onChange(target.value)} />
      ) : (
        <Input
          isMono
          spellCheck={false}
          value={value}
          onChange={({ target }) => onChange(target.value)}
          onKeyDown={onEnter}
          onPaste={(event) => {
            const text = event.clipboardData.getData('text/plain');
            // A single-line input would drop line breaks.
            if (!text.trim().includes('\n')) return;
            event.preventDefault();
            onChange(text);
          }}
        />
      )}
    </Field>
  );
}

const joint = '\n';
function KeyField({ path, row, error, onChange }: ValueFieldProps<Partial<EnvRow>>) {
  const { view } = useSettings();
  const options = view.secretGroups.flatMap(({ name, keys }) =>
    keys.map((key) => ({ value: `${name}${joint}${key}`, label: key, note: name })),
  );
  const value = row.secretKey ? `${row.secretGroup}${joint}${row.secretKey}` : null;
  const chosen =
    value === null || options.some((option) => option.value === value)
      ? []
      : [{ value, label: row.secretKey ?? '', note: row.secretGroup }];
  return (
    <Field label="Secret key" id={fieldId(`${path}.secretKey`)} error={error}>
      <Combobox
        isMono
        options={[...chosen, ...options]}
        value={value}
        onChange={(next) => {
          const [secretGroup = '', secretKey = ''] = (next ?? '').split(joint);
          onChange({ secretGroup, secretKey });
        }}
        searchLabel="Search keys of the attached secret groups"
        emptyText={view.secretGroups.length === 0 ? 'No secret group is attached; see the tab Secret manager' : 'No key fits'}
        placeholder="Choose a key"
      />
    </Field>
  );
}

function SecretWarning({ row }: { row: EnvRow }) {
  const [isMoving, setMoving] = useState(false);
  const look = row.source === 'STATIC' ? looksLikeSecret(row.name, row.value ?? '') : undefined;
  if (!look) return null;
  return (
    <div className={css.wide}>
      <Notice
        tone="warn"
        isLive
        actions={
          <Button size="sm" onClick={() => setMoving(true)}>
            Move to a secret group
          </Button>
        }
      >
        {planTextOf({ code: 'LooksLikeSecret', context: { name: row.name || 'this variable', kind: look.kind } })}
      </Notice>
      <Suspense fallback={null}>{isMoving && <MoveSecretDialog row={row} onClose={() => setMoving(false)} />}</Suspense>
    </div>
  );
}
