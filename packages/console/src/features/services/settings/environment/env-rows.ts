/** Adding, removing and finding rows of environment variables. Pure. */
import { newRowKey, type EnvRow } from '#features/services/settings/draft.ts';

export const emptyEnvRow = (): EnvRow => ({ name: '', source: 'STATIC', value: '', rowKey: newRowKey() });

export const matchesSearch = (row: EnvRow, query: string): boolean => {
  const text = query.trim().toLowerCase();
  return text === '' || [row.name, row.value, row.secretGroup, row.secretKey].some((part) => part?.toLowerCase().includes(text));
};

/** What is kept of a row when its source becomes the other one: the name alone. */
export const withSource = ({ name, rowKey = newRowKey() }: EnvRow, source: EnvRow['source']): EnvRow =>
  source === 'STATIC' ? { name, source, value: '', rowKey } : { name, source, secretGroup: '', secretKey: '', rowKey };

/** "14 variables, 6 from secrets" */
export const countLabel = (rows: readonly EnvRow[]): string => {
  const secrets = rows.filter(({ source }) => source === 'SECRET_KEY').length;
  const all = rows.length === 1 ? '1 variable' : `${rows.length} variables`;
  return secrets === 0 ? all : `${all}, ${secrets} from secrets`;
};

/** Where the focus goes when a row closes, and when it is gone. */
export const editButtonId = ({ rowKey }: EnvRow): string => `edit-${rowKey}`;
export const addButtonId = 'add-variable';

/** Text that is more than a name: pasted into a name's field it is meant as a file. */
export const isPastedFile = (text: string): boolean =>
  /^\s*(?:export\s+|\$env:)?[A-Za-z_][\w.]*\s*=/.test(text) || (text.includes('\n') && text.trim().includes('\n'));
