/** Keeps edits in the browser tab, and offers a kept draft when the user returns. */
import { serviceChanges } from '@slipway/contract/service/settings-diff.ts';
import { useEffect, useState } from 'react';
import { asSettings, rebased, type Draft } from './draft.ts';
import { forgetDraft, keepDraft, keptDraft, type KeptDraft } from './kept-draft.ts';
import type { SettingsPlace } from './settings-context.ts';
import type { SettingsStore } from './store.ts';

const quietMs = 400;

export interface DraftOffer {
  /** Number of changes in the draft. */
  count: number;
  take: () => void;
  drop: () => void;
}

const countOf = (store: SettingsStore, kept: KeptDraft): { draft: Draft; count: number } => {
  const { base } = store.get();
  const draft = rebased(kept.base, kept.draft, base);
  return { draft, count: serviceChanges(base, asSettings(draft)).length };
};

/** `discard` reverts all edits and then offers them as a draft, instead of asking for confirmation. */
export const useKeptDraft = (place: SettingsPlace, store: SettingsStore): { offer: DraftOffer | undefined; discard: () => void } => {
  const key = `${place.app}/${place.env}/${place.service}`;
  const [kept, setKept] = useState(() => keptDraft(key));
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const keep = (): void => {
      timer = undefined;
      const { base, draft } = store.get();
      keepDraft(key, { base, draft });
    };
    const unsubscribe = store.subscribe(() => {
      clearTimeout(timer);
      timer = setTimeout(keep, quietMs);
    });
    const keepNow = (): void => {
      if (timer === undefined) return;
      clearTimeout(timer);
      keep();
    };
    // If the user leaves right after typing, only `pagehide` can still store the edits.
    window.addEventListener('pagehide', keepNow);
    return () => {
      window.removeEventListener('pagehide', keepNow);
      unsubscribe();
      keepNow();
    };
  }, [key, store]);

  const drop = (): void => {
    forgetDraft(key);
    setKept(undefined);
  };
  const { draft, count } = kept ? countOf(store, kept) : { draft: undefined, count: 0 };
  const take = (): void => {
    if (draft) store.replace(draft);
    setKept(undefined);
  };
  const discard = (): void => {
    const { base, draft: edited } = store.get();
    setKept({ base, draft: edited });
    store.discard();
  };
  return { offer: count === 0 ? undefined : { count, take, drop }, discard };
};
