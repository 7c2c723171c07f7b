/** The rows of environment variables. A row rerenders only when it changes. */
import { looksLikeSecret } from '@slipway/contract/secret/secret-look.ts';
import { Button, iconOnlyClass } from '@slipway/ui/form/Button.tsx';
import { Pencil, Trash2, Undo2 } from 'lucide-react';
import { memo, type ReactNode } from 'react';
import { maskedLabel } from '#entities/plan/setting-labels.ts';
import { envPath, envRowsOf, type EnvRow } from '#features/services/settings/draft.ts';
import { EnvEditor, type EnvEditorProps } from './EnvEditor.tsx';
import { addButtonId, editButtonId, matchesSearch } from './env-rows.ts';
import { focusLater } from '#features/services/settings/focus-field.ts';
import css from './EnvironmentSection.module.css';
import { useSettings, useSettingsState } from '#features/services/settings/settings-context.ts';

export interface EnvTableProps extends Pick<EnvEditorProps, 'onOpen' | 'onPasteFile'> {
  query: string;
  opened: ReadonlySet<string>;
}

/** Errors of variables by index and part (`name`, `value`, `secretKey`). */
const useRowErrors = (): ReadonlyMap<string, string> => {
  const errors = useSettingsState((state) => state.errors);
  return new Map(
    errors.filter(({ field }) => field.startsWith(`${envPath}.`)).map(({ field, message }) => [field.slice(envPath.length + 1), message]),
  );
};

export function EnvTable({ query, opened, onOpen, onPasteFile }: EnvTableProps) {
  const { isLocked } = useSettings();
  const rows = useSettingsState(({ draft }) => envRowsOf(draft));
  const changes = useSettingsState((state) => state.changes);
  const errors = useRowErrors();
  const byPath = new Map(changes.map((change) => [change.path, change]));
  const removed = changes.filter(({ path, after }) => after === null && path.startsWith(`${envPath}.`));
  return (
    <ul className={css.rows} aria-label="Environment variables">
      {rows.map((row, index) => {
        const key = row.rowKey ?? String(index);
        const own = { name: errors.get(`${index}.name`), value: errors.get(`${index}.value`) ?? errors.get(`${index}.secretKey`) };
        const isOpen = !isLocked && (opened.has(key) || own.name !== undefined || own.value !== undefined);
        if (!isOpen && !matchesSearch(row, query)) return null;
        const change = byPath.get(`${envPath}.${row.name}`);
        const was = change && (change.before === null ? 'new' : `was ${maskedLabel(change, change.before) || 'empty'}`);
        return (
          <li key={key}>
            {isOpen ? (
              <EnvEditor
                row={row}
                index={index}
                isAsked={opened.has(key)}
                nameError={own.name}
                valueError={own.value}
                onOpen={onOpen}
                onPasteFile={onPasteFile}
              />
            ) : (
              <ShownRow row={row} index={index} was={was} onOpen={onOpen} />
            )}
          </li>
        );
      })}
      {removed.map(({ path, label }) => (
        <li key={path}>
          <RemovedRow path={path} name={label} />
        </li>
      ))}
    </ul>
  );
}

/** Masks values that look like secrets, because the user probably wants to move them into a secret group. */
const shownValue = (row: EnvRow): string => {
  if (row.source === 'SECRET_KEY') return row.secretKey ?? '';
  return looksLikeSecret(row.name, row.value ?? '') ? '••••••••' : (row.value ?? '');
};

interface ShownRowProps extends Pick<EnvEditorProps, 'onOpen'> {
  row: EnvRow;
  index: number;
  was: string | undefined;
}
const ShownRow = memo(function ShownRow({ row, index, was, onOpen }: ShownRowProps) {
  const { store, isLocked } = useSettings();
  const look = row.source === 'STATIC' ? looksLikeSecret(row.name, row.value ?? '') : undefined;
  const remove = (): void => {
    store.set(envPath, envRowsOf(store.get().draft).toSpliced(index, 1));
    focusLater(addButtonId);
  };
  return (
    <div className={css.row} data-changed={was === undefined ? undefined : true}>
      <span className={`mono ${css.name}`}>{row.name || <em className="quiet">No name yet</em>}</span>
      <span className={css.from}>
        {row.source === 'STATIC' ? 'Static' : row.secretGroup}
        {was !== undefined && <span className={css.was}> {was}</span>}
        {look && <span className="tone-warn"> looks like {look.kind}</span>}
      </span>
      <span className={`mono ell ${css.value ?? ''}`}>{shownValue(row)}</span>
      {!isLocked && (
        <span className={css.actions}>
          {was !== undefined && was !== 'new' && (
            <RowButton
              label={`Put back ${row.name}`}
              icon={<Undo2 aria-hidden="true" />}
              onClick={() => store.putBack(`${envPath}.${row.name}`)}
            />
          )}
          <RowButton
            id={editButtonId(row)}
            label={`Edit ${row.name}`}
            icon={<Pencil aria-hidden="true" />}
            onClick={() => onOpen(row.rowKey ?? '', true)}
          />
          <RowButton label={`Remove ${row.name}`} icon={<Trash2 aria-hidden="true" />} onClick={remove} />
        </span>
      )}
    </div>
  );
});

/** No tooltips, because five hundred of them would cost more than the rest of the rows. */
function RowButton({ label, icon, onClick, id }: { label: string; icon: ReactNode; onClick: () => void; id?: string }) {
  return (
    <Button
      id={id}
      size="sm"
      variant="quiet"
      className={iconOnlyClass ?? ''}
      aria-label={label}
      title={label}
      icon={icon}
      onClick={onClick}
    />
  );
}

function RemovedRow({ path, name }: { path: string; name: string }) {
  const { store } = useSettings();
  return (
    <div className={`${css.row} ${css.removed}`} data-changed>
      <span className={`mono ${css.name}`}>{name}</span>
      <span className={css.was}>removed</span>
      <span />
      <span className={css.actions}>
        <Button size="sm" variant="quiet" icon={<Undo2 aria-hidden="true" />} onClick={() => store.putBack(path)}>
          Put back<span className="sr"> {name}</span>
        </Button>
      </span>
    </div>
  );
}
