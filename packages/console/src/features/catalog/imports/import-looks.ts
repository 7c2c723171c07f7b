/** Words and marks of imports. */
import type { CatalogImport, ImportOutcome } from '@slipway/contract/catalog/import.ts';
import type { Tone } from '@slipway/ui/tone.ts';

export const formatNames: Readonly<Record<CatalogImport['format'], string>> = {
  CSV: 'CSV',
  LEANIX: 'LeanIX export',
  BACKSTAGE: 'Backstage catalog-info',
};
export const stateLooks: Readonly<Record<CatalogImport['state'], { tone: Tone; word: string }>> = {
  UPLOADING: { tone: 'run', word: 'Uploading' },
  CHECKING: { tone: 'run', word: 'Checking' },
  CHECKED: { tone: 'idle', word: 'Ready to start' },
  APPLYING: { tone: 'run', word: 'Importing' },
  DONE: { tone: 'ok', word: 'Done' },
  CANCELED: { tone: 'off', word: 'Canceled' },
};
export const outcomeLooks: Readonly<Record<ImportOutcome, { tone: Tone; before: string; after: string }>> = {
  CREATE: { tone: 'ok', before: 'Creates', after: 'Created' },
  CHANGE: { tone: 'ok', before: 'Changes', after: 'Changed' },
  SAME: { tone: 'off', before: 'Unchanged', after: 'Unchanged' },
  REFUSED: { tone: 'bad', before: 'Refused', after: 'Refused' },
  LEFT_OUT: { tone: 'off', before: 'Left out', after: 'Left out' },
};
export const isBusy = ({ state }: Pick<CatalogImport, 'state'>): boolean => ['UPLOADING', 'CHECKING', 'APPLYING'].includes(state);
export const isFinished = ({ state }: Pick<CatalogImport, 'state'>): boolean => state === 'DONE' || state === 'CANCELED';
/** Rows that the current step has done, and all that it has to do. */
export const progressOf = ({ state, rows, counts }: Pick<CatalogImport, 'state' | 'rows' | 'counts'>): { done: number; all: number } =>
  state === 'CHECKING'
    ? { done: counts.checked, all: rows }
    : { done: counts.applied, all: Math.max(counts.applied, counts.create + counts.change) };
