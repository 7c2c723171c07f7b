/** Computes the changes that a pasted file makes to the environment variables, before they apply. Pure. */
import { isEnvironmentName } from '@slipway/contract/secret/secret-entry.ts';
import { maxEnvValueLength } from '@slipway/contract/service/service-spec.ts';
import { parseSecretFile } from '#entities/secret-file/secret-file.ts';
import { newRowKey, type EnvRow } from '#features/services/settings/draft.ts';

export type PasteMode = 'merge' | 'replace';
export interface PastedVariable {
  readonly name: string;
  readonly change: 'ADDED' | 'CHANGED' | 'REMOVED' | 'SAME';
  /** Undefined if the variable is removed. */
  readonly value: string | undefined;
}
export interface Pasted {
  readonly variables: readonly PastedVariable[];
  /** The resulting rows. */
  readonly rows: readonly EnvRow[];
  /** Unreadable lines, with their number and error code. */
  readonly errors: readonly { readonly line: number; readonly code: string; readonly context?: Readonly<Record<string, string>> }[];
}

const isSame = (row: EnvRow, value: string): boolean => row.source === 'STATIC' && (row.value ?? '') === value;

const changeOf = (row: EnvRow | undefined, value: string): PastedVariable['change'] => {
  if (!row) return 'ADDED';
  return isSame(row, value) ? 'SAME' : 'CHANGED';
};

/** `merge` keeps variables that the text does not name; `replace` removes them. Secret references named in the text become plain values. */
export const pastedVariables = (rows: readonly EnvRow[], text: string, mode: PasteMode): Pasted => {
  const read = parseSecretFile(text);
  const entries = read.entries.filter(({ key, value }) => isEnvironmentName(key) && value.length <= maxEnvValueLength);
  const refused = read.entries
    .filter((entry) => !entries.includes(entry))
    .map(({ key, line }) => ({
      line,
      code: isEnvironmentName(key) ? 'ExceedsMaximumLength' : 'INVALID_ENV_VAR_NAME',
      context: { label: key },
    }));
  const values = new Map(entries.map(({ key, value }) => [key, value]));
  const known = new Map(rows.map((row) => [row.name, row]));
  const changed = rows
    .filter(({ name }) => mode === 'merge' || values.has(name))
    .map((row): EnvRow => {
      const value = values.get(row.name);
      if (value === undefined || isSame(row, value)) return row;
      return { name: row.name, source: 'STATIC', value, rowKey: row.rowKey ?? newRowKey() };
    });
  const added = entries
    .filter(({ key }) => !known.has(key))
    .map(({ key, value }): EnvRow => ({ name: key, source: 'STATIC', value, rowKey: newRowKey() }));
  const removed = mode === 'merge' ? [] : rows.filter(({ name }) => !values.has(name));
  return {
    variables: [
      ...entries.map(({ key, value }): PastedVariable => ({ name: key, change: changeOf(known.get(key), value), value })),
      ...removed.map(({ name }): PastedVariable => ({ name, change: 'REMOVED', value: undefined })),
    ],
    rows: [...changed.filter((row) => row.name !== '' || (row.value ?? '') !== ''), ...added],
    errors: [...read.errors, ...refused].toSorted((a, b) => a.line - b.line),
  };
};
