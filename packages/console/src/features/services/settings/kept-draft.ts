/**
 * What was edited and not applied, kept in the browser's tab until somebody comes back. Values that look like secrets are not kept:
 * storage of a browser is no place for them.
 */
import { looksLikeSecret } from '@slipway/contract/secret/secret-look.ts';
import type { ServiceSettings } from '@slipway/contract/service/service-settings.ts';
import { changesOf, draftOf, envRowsOf, withValue, envPath, type Draft } from './draft.ts';

export interface KeptDraft {
  /** The settings that were edited. */
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

/** `service`: `{app}/{env}/{service}`. A draft without changes is forgotten. */
export const keepDraft = (service: string, { base, draft }: KeptDraft): void => {
  try {
    if (changesOf(base, draft).length === 0) sessionStorage.removeItem(keyOf(service));
    else sessionStorage.setItem(keyOf(service), JSON.stringify({ base, draft: withoutSecrets(draft, base) }));
  } catch {
    // Storage can be full or blocked; the edits then live as long as the page.
  }
};

export const forgetDraft = (service: string): void => {
  try {
    sessionStorage.removeItem(keyOf(service));
  } catch {
    // See keepDraft().
  }
};

/** Undefined where there is none, or where another version of the console left something else. */
export const keptDraft = (service: string): KeptDraft | undefined => {
  try {
    const kept = JSON.parse(sessionStorage.getItem(keyOf(service)) ?? 'null') as KeptDraft | null;
    if (!kept || changesOf(kept.base, kept.draft).length === 0) return undefined;
    return { base: kept.base, draft: draftOf(kept.draft) };
  } catch {
    return undefined;
  }
};
