/** Context that the fields of the settings form share, and the hook that reads and writes one value. */
import type { ServiceSettingsView } from '@slipway/contract/service/service-operations.ts';
import { settingsFieldOf } from '@slipway/contract/service/service-settings.ts';
import { createContext, use, useSyncExternalStore } from 'react';
import type { ServiceRef } from '#entities/paths.ts';
import { settingLabel } from '#entities/plan/setting-labels.ts';
import { valueAt } from './draft.ts';
import type { SettingsState, SettingsStore } from './store.ts';

export interface SettingsPlace extends ServiceRef {
  env: 'development' | 'production';
}
export interface SettingsShared {
  place: SettingsPlace;
  view: ServiceSettingsView;
  store: SettingsStore;
  /** Nothing can be edited now; the page says why. */
  isLocked: boolean;
  /** False for non-members, who may not see variables and volumes. */
  isMember: boolean;
}

export const SettingsContext = createContext<SettingsShared | undefined>(undefined);

export const useSettings = (): SettingsShared => {
  const shared = use(SettingsContext);
  if (!shared) throw new Error('A settings field stands outside of the form');
  return shared;
};

/** Selects a part of the state. Rerenders only if that part changes, so `select` must not create new objects. */
export const useSettingsState = <T>(select: (state: SettingsState) => T): T => {
  const { store } = useSettings();
  return useSyncExternalStore(store.subscribe, () => select(store.get()));
};

export const useSettingValue = <T>(path: string): T => useSettingsState((state) => valueAt(state.draft, path) as T);

/** Id of the element that gets the focus if the path has an error. */
export const fieldId = (path: string): string => `setting-${path}`;

export interface SettingField<T> {
  id: string;
  label: string;
  value: T;
  set: (value: T) => void;
  error: string | undefined;
  /** "was 768 MB"; undefined for an unchanged value. */
  was: string | undefined;
  putBack: () => void;
  isLocked: boolean;
}

/** `sayWas` formats the former value differently from the review. */
export const useSettingField = <T>(path: string, sayWas?: (before: T) => string): SettingField<T> => {
  const { store, isLocked } = useSettings();
  const known = settingsFieldOf(path);
  const value = useSettingValue<T>(path);
  const error = useSettingsState((state) => state.errors.find(({ field }) => field === path)?.message);
  const was = useSettingsState((state) => {
    const change = state.changes.find((item) => item.path === path);
    if (!change) return undefined;
    const words = sayWas ? sayWas(change.before as T) : settingLabel(change, change.before);
    return words === null || words === '' ? 'was empty' : `was ${words.replaceAll('\n', ', ')}`;
  });
  return {
    id: fieldId(path),
    label: known?.label ?? path,
    value,
    set: (next) => store.set(path, next),
    error,
    was,
    putBack: () => store.putBack(path),
    isLocked,
  };
};
