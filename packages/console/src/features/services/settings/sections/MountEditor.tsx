/** One volume: mount path, keys, file format, and the resulting files. */
import { keyValueFormatOf, keyValueFormats } from '@slipway/contract/secret/key-value-formats.ts';
import { Field } from '@slipway/ui/form/Field.tsx';
import { IconButton } from '@slipway/ui/form/IconButton.tsx';
import { Input } from '@slipway/ui/form/Input.tsx';
import { Select } from '@slipway/ui/form/Select.tsx';
import { ArrowDown, ArrowUp, Trash2, Undo2 } from 'lucide-react';
import { settingLabel } from '#entities/plan/setting-labels.ts';
import { mountRowsOf, mountsPath, type MountRow } from '#features/services/settings/draft.ts';
import { focusLater } from '#features/services/settings/focus-field.ts';
import { addVolumeId, mountNames, moved } from './mount-names.ts';
import css from './MountEditor.module.css';
import { fieldId, useSettings, useSettingsState } from '#features/services/settings/settings-context.ts';

/** No key can have this name. */
const ALL = '*';
const namesShown = 6;
const formats = [
  { value: 'file', label: 'A file for each key' },
  ...keyValueFormats.map((format): { value: string; label: string; note: string } => {
    const { label = format, extension = format } = keyValueFormatOf(format) ?? {};
    return { value: format, label: `One file: ${label === 'File' ? '.env' : label}`, note: `.${extension}` };
  }),
];

/** Returns the field properties for the error of one part of a row. */
const useErrors = (index: number): ((part: string) => { id: string; error?: string }) => {
  const errors = useSettingsState((state) => state.errors);
  return (part) => {
    const path = `${mountsPath}.${index}.${part}`;
    const error = errors.find(({ field }) => field === path)?.message;
    return { id: fieldId(path), ...(error === undefined ? {} : { error }) };
  };
};

export function MountEditor({ row, index, count }: { row: MountRow; index: number; count: number }) {
  const { view, store, isLocked } = useSettings();
  const errorOf = useErrors(index);
  const path = `${mountsPath}.${index}`;
  const change = useSettingsState(({ changes }) => changes.find((item) => item.path === `${mountsPath}.${row.mountPath}`));
  const keys = view.secretGroups.find(({ name }) => name === row.secretGroup)?.keys ?? [];
  const groups = view.secretGroups.map(({ name }) => ({ value: name, label: name }));
  const known = row.secretGroup === '' || groups.some(({ value }) => value === row.secretGroup);
  const set = (patch: Partial<MountRow>): void => store.set(path, { ...row, ...patch });
  return (
    <div className={css.mount} data-changed={change ? true : undefined}>
      <Field label="Path" {...errorOf('mountPath')} was={change?.before ? `was ${settingLabel(change, change.before)}` : undefined}>
        <Input
          isMono
          spellCheck={false}
          readOnly={isLocked}
          value={row.mountPath}
          placeholder="/run/secrets"
          onChange={({ target }) => set({ mountPath: target.value })}
        />
      </Field>
      <Field label="Secret group" {...errorOf('secretGroup')}>
        <Select
          options={known ? groups : [...groups, { value: row.secretGroup, label: row.secretGroup, note: 'not attached' }]}
          value={row.secretGroup || null}
          onChange={(secretGroup) => set({ secretGroup, includeAllKeys: true, secretKey: null })}
          isReadOnly={isLocked}
        />
      </Field>
      <Field label="Keys" {...errorOf('secretKey')}>
        <Select
          options={[{ value: ALL, label: 'All keys' }, ...keys.map((key) => ({ value: key, label: key }))]}
          value={row.includeAllKeys ? ALL : (row.secretKey ?? null)}
          onChange={(key) => set({ includeAllKeys: key === ALL, secretKey: key === ALL ? null : key })}
          isReadOnly={isLocked}
        />
      </Field>
      <Field label="Format" {...errorOf('fileFormat')}>
        <Select
          options={formats}
          value={row.fileFormat.toLowerCase()}
          onChange={(fileFormat) => set({ fileFormat })}
          isReadOnly={isLocked}
        />
      </Field>
      {!isLocked && <MountActions row={row} index={index} count={count} changePath={change?.before ? change.path : undefined} />}
      <Names names={mountNames(row, keys)} />
    </div>
  );
}

function MountActions({ row, index, count, changePath }: { row: MountRow; index: number; count: number; changePath?: string }) {
  const { store } = useSettings();
  const rows = (): MountRow[] => mountRowsOf(store.get().draft);
  const move = (by: -1 | 1): void => store.set(mountsPath, moved(rows(), index, by));
  const name = row.mountPath || 'the volume';
  return (
    <span className={css.actions}>
      {changePath !== undefined && (
        <IconButton
          size="sm"
          variant="quiet"
          label={`Put back ${name}`}
          icon={<Undo2 aria-hidden="true" />}
          onClick={() => store.putBack(changePath)}
        />
      )}
      {index > 0 && (
        <IconButton size="sm" variant="quiet" label={`Move ${name} up`} icon={<ArrowUp aria-hidden="true" />} onClick={() => move(-1)} />
      )}
      {index < count - 1 && (
        <IconButton size="sm" variant="quiet" label={`Move ${name} down`} icon={<ArrowDown aria-hidden="true" />} onClick={() => move(1)} />
      )}
      <IconButton
        size="sm"
        variant="quiet"
        label={`Remove ${name}`}
        icon={<Trash2 aria-hidden="true" />}
        onClick={() => {
          store.set(mountsPath, rows().toSpliced(index, 1));
          focusLater(addVolumeId);
        }}
      />
    </span>
  );
}

function Names({ names }: { names: readonly string[] }) {
  if (names.length === 0) return null;
  const more = names.length - namesShown;
  return (
    <p className={css.names}>
      Makes{' '}
      {names.slice(0, namesShown).map((name, index) => (
        <span key={name}>
          {index > 0 && ', '}
          <code>{name}</code>
        </span>
      ))}
      {more > 0 && ` and ${more} more`}
    </p>
  );
}
