/** Quickstarts started in this browser. Local storage keeps them under `pipelines`; all tabs share them and follow each to its end. */
import { storedValue } from '#kit/state/stored.ts';
import { useStore } from '#kit/state/store.ts';

/** 0 is an app, 1 a service (specification §3). */
export type QuickstartType = 0 | 1;
export interface QuickstartEntry {
  readonly id: string;
  readonly type: QuickstartType;
  /** ISO 8601. */
  readonly startTime: string;
}

const isEntry = (value: unknown): value is QuickstartEntry =>
  typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'string' && value.id !== '';

const parse = (raw: unknown): readonly QuickstartEntry[] | undefined => {
  const entries = Array.isArray(raw) ? raw.filter(isEntry) : [];
  return entries.length > 0 ? entries : undefined;
};

const entries = storedValue<readonly QuickstartEntry[] | undefined>('pipelines', parse);
const none: readonly QuickstartEntry[] = [];

export const useQuickstartEntries = (): readonly QuickstartEntry[] => useStore(entries) ?? none;

export const addQuickstartEntry = (id: string, type: QuickstartType): void => {
  const others = (entries.get() ?? none).filter((entry) => entry.id !== id);
  entries.set([...others, { id, type, startTime: new Date().toISOString() }]);
};

export const removeQuickstartEntry = (id: string): void => {
  const rest = (entries.get() ?? none).filter((entry) => entry.id !== id);
  entries.set(rest.length > 0 ? rest : undefined);
};
