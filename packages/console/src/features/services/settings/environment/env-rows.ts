/** Adds, removes and finds rows of environment variables. Pure. */
import { newRowKey, type EnvRow } from '#features/services/settings/draft.ts';

export const emptyEnvRow = (): EnvRow => ({ name: '', source: 'STATIC', value: '', rowKey: newRowKey() });

export const matchesSearch = (row: EnvRow, query: string): boolean => {
  const text = query.trim().toLowerCase();
  return text === '' || [row.name, row.value, row.secretGroup, row.secretKey].some((part) => part?.toLowerCase().includes(text));
};

/** Keeps only the name when the row's source changes. */
export const withSource = ({ name, rowKey = newRowKey() }: EnvRow, source: EnvRow['source']): EnvRow =>
  source === 'STATIC' ? { name, source, value: '', rowKey } : { name, source, secretGroup: '', secretKey: '', rowKey };

/** "14 variables, 6 from secrets" */
export const countLabel = (rows: readonly EnvRow[]): string => {
  const secrets = rows.filter(({ source }) => source === 'SECRET_KEY').length;
  const all = rows.length === 1 ? '1 variable' : `${rows.length} variables`;
  return secrets === 0 ? all : `${all}, ${secrets} from secrets`;
};

/** Focus targets after a row closes, and after it is removed. */
export const editButtonId = ({ rowKey }: EnvRow): string => `edit-${rowKey}`;
export const addButtonId = 'add-variable';

/** True for text that is more than a name, so pasting it into the name field means a file. */
export const isPastedFile = (text: string): boolean =>
  /^\s*(?:export\s+|\$env:)?[A-Za-z_][\w.]*\s*=/.test(text) || (text.includes('\n') && text.trim().includes('\n'));
