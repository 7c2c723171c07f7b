/** Pastes a whole file of variables. Previews added, changed and removed variables first. */
import { looksLikeSecret } from '@slipway/contract/secret/secret-look.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { Dialog } from '@slipway/ui/overlay/Dialog.tsx';
import { Field } from '@slipway/ui/form/Field.tsx';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { Segmented } from '@slipway/ui/form/Segmented.tsx';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { Table, type Column } from '@slipway/ui/list/Table.tsx';
import { Textarea } from '@slipway/ui/form/Textarea.tsx';
import { useDeferredValue, useState } from 'react';
import { messageFor } from '#kit/error/messages.ts';
import { envPath, envRowsOf } from '#features/services/settings/draft.ts';
import css from './EnvDialogs.module.css';
import { pastedVariables, type PastedVariable, type PasteMode } from './pasted-variables.ts';
import { useSettings, useSettingsState } from '#features/services/settings/settings-context.ts';

const looks = {
  ADDED: { tone: 'ok', word: 'Added' },
  CHANGED: { tone: 'warn', word: 'Changed' },
  REMOVED: { tone: 'bad', word: 'Removed' },
  SAME: { tone: 'idle', word: 'The same' },
} as const;
const errorsShown = 5;

const columns: Column<PastedVariable>[] = [
  { key: 'name', header: 'Name', phone: 'title', cell: ({ name }) => <span className="mono">{name}</span> },
  {
    key: 'change',
    header: 'Change',
    phone: 'status',
    cell: ({ change }) => <Status tone={looks[change].tone}>{looks[change].word}</Status>,
  },
  {
    key: 'value',
    header: 'Value',
    phone: 'extra',
    cell: ({ name, value }) => {
      if (value === undefined) return null;
      const look = looksLikeSecret(name, value);
      return look ? <span className="tone-warn">Looks like {look.kind}</span> : <span className="mono">{value.slice(0, 80)}</span>;
    },
  },
];

/** The file format's messages already contain the line. */
const lineMessage = (line: number, message: string): string => (message.startsWith('Line ') ? message : `Line ${line}: ${message}`);

const summaryOf = (variables: readonly PastedVariable[]): string => {
  const count = (change: PastedVariable['change']) => variables.filter((item) => item.change === change).length;
  return `${count('ADDED')} added, ${count('CHANGED')} changed, ${count('REMOVED')} removed, ${count('SAME')} the same`;
};

export default function EnvPasteDialog({ text: pasted, onClose }: { text: string; onClose: () => void }) {
  const { store } = useSettings();
  const rows = useSettingsState(({ draft }) => envRowsOf(draft));
  const [text, setText] = useState(pasted);
  const [mode, setMode] = useState<PasteMode>('merge');
  const { variables, rows: next, errors } = pastedVariables(rows, useDeferredValue(text), mode);
  const secrets = variables.filter(({ name, value }) => value !== undefined && looksLikeSecret(name, value)).length;
  const isIdle = variables.every(({ change }) => change === 'SAME');
  const use = (): void => {
    store.set(envPath, next);
    onClose();
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      size="lg"
      hasClose
      title="Paste many variables"
      description="As .env, Bash, PowerShell, JSON or YAML. It is read here; nothing is applied before you review it."
      footNote={variables.length > 0 ? summaryOf(variables) : undefined}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" onClick={use} disabledReason={isIdle ? 'Nothing would change' : undefined}>
            {mode === 'merge' ? 'Merge' : 'Replace all'}
          </Button>
        </>
      }
    >
      <Field label="File" className={css.wide}>
        <Textarea
          isMono
          rows={6}
          spellCheck={false}
          value={text}
          placeholder={'LOG_LEVEL=info\nTIDE_URL=https://tide.example.com'}
          onChange={({ target }) => setText(target.value)}
        />
      </Field>
      <Segmented
        label="Variables that the file does not name"
        options={[
          { value: 'merge', label: 'Keep the others' },
          { value: 'replace', label: 'Remove the others' },
        ]}
        value={mode}
        onChange={setMode}
      />
      {errors.length > 0 && (
        <Notice tone="bad">
          <ul className={css.errors}>
            {errors.slice(0, errorsShown).map(({ line, code, context }) => (
              <li key={`${line}${code}`}>{lineMessage(line, messageFor(code, context))}</li>
            ))}
            {errors.length > errorsShown && <li>{errors.length - errorsShown} more</li>}
          </ul>
        </Notice>
      )}
      {secrets > 0 && (
        <Notice tone="warn">
          {secrets === 1
            ? 'One value looks like a secret: move it to a secret group before you apply.'
            : `${secrets} values look like secrets: move them to a secret group before you apply.`}
        </Notice>
      )}
      {variables.length > 0 && (
        <Table label="What changes" columns={columns} rows={[...variables]} rowKey={({ name }) => name} density="compact" />
      )}
    </Dialog>
  );
}
