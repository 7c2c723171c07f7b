/**
 * The state of the settings form, outside React. Each field subscribes to its own value only, so typing into one of five hundred fields
 * does not rerender the others. Changes and errors are computed once per state.
 */
import type { ServiceChange } from '@slipway/contract/pipeline/service-change.ts';
import type { FieldError } from '@slipway/contract/kernel/errors.ts';
import type { SettingsFacts } from '@slipway/contract/service/service-rules.ts';
import type { ServiceSettings } from '@slipway/contract/service/service-settings.ts';
import { checkSettings, settingsErrorsOf, withoutHidden, type SettingsError } from './check.ts';
import { changesOf, draftOf, putBack, rebased, withValue, type Draft } from './draft.ts';

export interface SettingsState {
  /** The saved settings and their version. */
  readonly base: ServiceSettings;
  readonly version: number;
  readonly draft: Draft;
  readonly changes: readonly ServiceChange[];
  /** Empty before the first review, then updated with every change. */
  readonly errors: readonly SettingsError[];
}

export interface SettingsStore {
  get: () => SettingsState;
  subscribe: (listener: () => void) => () => void;
  /** Sets a value and clears server errors for that path. */
  set: (path: string, value: unknown) => void;
  replace: (draft: Draft) => void;
  /**
   * Fills in the form, such as from a revision. If a pending undo is still in the saved settings, nothing may differ yet. The next `rebase`
   * then fills in the form again.
   */
  fill: (spec: ServiceSettings['spec']) => void;
  /** Reverts one change. */
  putBack: (path: string) => void;
  /** Reverts all changes. */
  discard: () => void;
  /** Sets new saved settings and keeps the edits on top of them. */
  rebase: (base: ServiceSettings, version: number) => void;
  /** Shows errors from now on. Returns true if there are none. */
  check: () => boolean;
  /** Sets the server's field errors. Returns true if there were any. */
  refuse: (errors: readonly FieldError[]) => boolean;
  setFacts: (facts: SettingsFacts) => void;
}

const isPart = (path: string, of: string): boolean => path === of || path.startsWith(`${of}.`);

export const createSettingsStore = (saved: ServiceSettings, savedVersion: number, known: SettingsFacts): SettingsStore => {
  let facts = known;
  let isChecked = false;
  let refused: readonly FieldError[] = [];
  let filled: ServiceSettings['spec'] | undefined;
  const listeners = new Set<() => void>();

  const errorsOf = (draft: Draft): readonly SettingsError[] => {
    const own = isChecked ? checkSettings(draft, facts) : [];
    const fields = new Set(own.map(({ field }) => field));
    return [...own, ...settingsErrorsOf(refused).filter(({ field }) => !fields.has(field))];
  };
  const stateOf = (base: ServiceSettings, version: number, draft: Draft): SettingsState => ({
    base,
    version,
    draft,
    changes: changesOf(base, draft),
    errors: errorsOf(draft),
  });
  let state = stateOf(saved, savedVersion, draftOf(saved));
  const move = (base: ServiceSettings, version: number, draft: Draft): void => {
    state = stateOf(base, version, draft);
    for (const listener of listeners) listener();
  };
  const edit = (draft: Draft): void => move(state.base, state.version, draft);

  return {
    get: () => state,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    set: (path, value) => {
      filled = undefined;
      refused = refused.filter(({ field = '' }) => !isPart(field, path) && !isPart(path, field));
      edit(withValue(state.draft, path, value));
    },
    replace: (draft) => {
      refused = [];
      edit(draft);
    },
    fill: (spec) => {
      filled = spec;
      edit(draftOf({ ...state.base, spec }));
    },
    putBack: (path) => {
      filled = undefined;
      refused = refused.filter(({ field = '' }) => !isPart(field, path));
      edit(putBack(state.base, state.draft, path));
    },
    discard: () => {
      filled = undefined;
      refused = [];
      isChecked = false;
      edit(draftOf(state.base));
    },
    rebase: (base, version) => {
      const isUnfilled = state.changes.length === 0;
      move(base, version, isUnfilled && filled ? draftOf({ ...base, spec: filled }) : rebased(state.base, state.draft, base));
    },
    check: () => {
      isChecked = true;
      refused = [];
      edit(withoutHidden(state.draft, state.base));
      return state.errors.length === 0;
    },
    refuse: (errors) => {
      refused = errors;
      edit(state.draft);
      return settingsErrorsOf(errors).length > 0;
    },
    setFacts: (next) => {
      facts = next;
      if (isChecked) edit(state.draft);
    },
  };
};
