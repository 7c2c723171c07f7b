/**
 * Keeps unapplied edits in the browser tab's storage. Omits values that look like secrets, because browser storage is not safe for them.
 */
import { looksLikeSecret } from '@slipway/contract/secret/secret-look.ts';
import type { ServiceSettings } from '@slipway/contract/service/service-settings.ts';
import { changesOf, draftOf, envRowsOf, withValue, envPath, type Draft } from './draft.ts';

export interface KeptDraft {
  /** The settings that the draft is based on. */
  readonly base: ServiceSettings;
  readonly draft: Draft;
}

const withoutSecrets = (draft: Draft, base: ServiceSettings): Draft => {
  const rows = envRowsOf(draft).map((row) => {
    if (row.source !== 'STATIC' || !looksLikeSecret(row.name, row.value ?? '')) return row;
    const before = base.spec.template.envVars.find(({ name }) => name === row.name);
    return { ...row, value: before?.value ?? '' };
  });
  return withValue(draft, envPath, rows);
};

const keyOf = (service: string): string => `slipway.settings-draft.${service}`;

/** `service`: `{app}/{env}/{service}`. Removes the stored draft if there are no changes. */
export const keepDraft = (service: string, { base, draft }: KeptDraft): void => {
  try {
    if (changesOf(base, draft).length === 0) sessionStorage.removeItem(keyOf(service));
    else sessionStorage.setItem(keyOf(service), JSON.stringify({ base, draft: withoutSecrets(draft, base) }));
  } catch {
    // Storage can be full or blocked. The edits then last only as long as the page.
  }
};

export const forgetDraft = (service: string): void => {
  try {
    sessionStorage.removeItem(keyOf(service));
  } catch {
    // See keepDraft().
  }
};

/** Returns undefined if there is no draft, or if another version of the console stored an incompatible one. */
export const keptDraft = (service: string): KeptDraft | undefined => {
  try {
    const kept = JSON.parse(sessionStorage.getItem(keyOf(service)) ?? 'null') as KeptDraft | null;
    if (!kept || changesOf(kept.base, kept.draft).length === 0) return undefined;
    return { base: kept.base, draft: draftOf(kept.draft) };
  } catch {
    return undefined;
  }
};
