/** What the fields of the settings form share, and how one of them reads and writes its value. */
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
  /** False for people who are not in the team: variables and volumes are not theirs to see. */
  isMember: boolean;
}

export const SettingsContext = createContext<SettingsShared | undefined>(undefined);

export const useSettings = (): SettingsShared => {
  const shared = use(SettingsContext);
  if (!shared) throw new Error('A settings field stands outside of the form');
  return shared;
};

/** A part of the state; drawn anew only when that part is another. It must not be made anew by `select`. */
export const useSettingsState = <T>(select: (state: SettingsState) => T): T => {
  const { store } = useSettings();
  return useSyncExternalStore(store.subscribe, () => select(store.get()));
};

export const useSettingValue = <T>(path: string): T => useSettingsState((state) => valueAt(state.draft, path) as T);

/** The element that gets the focus when there is an error at the path. */
export const fieldId = (path: string): string => `setting-${path}`;

export interface SettingField<T> {
  id: string;
  label: string;
  value: T;
  set: (value: T) => void;
  error: string | undefined;
  /** "was 768 MB"; undefined for a value that is as it was. */
  was: string | undefined;
  putBack: () => void;
  isLocked: boolean;
}

/** `sayWas` tells the former value in other words than the review does. */
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
