/** The settings during editing: numbers may be empty, list rows have keys, and every value has a path. Pure. */
import type { ServiceChange } from '@slipway/contract/pipeline/service-change.ts';
import { isRecord } from '@slipway/contract/kernel/is-record.ts';
import { serviceChanges, carryChanges } from '@slipway/contract/service/settings-diff.ts';
import type { EnvVar, SecretFileMount } from '@slipway/contract/service/service-spec.ts';
import { ServiceSettings } from '@slipway/contract/service/service-settings.ts';
import * as z from 'zod/mini';

/** Null represents an empty number field. */
type Loose<T> = T extends number
  ? number | null
  : T extends readonly (infer Item)[]
    ? Loose<Item>[]
    : T extends object
      ? { [Key in keyof T]: Loose<T[Key]> }
      : T;
interface Keyed {
  /** Identifies a row while its name is edited. Never sent. */
  rowKey?: string;
}
export type EnvRow = EnvVar & Keyed;
export type MountRow = SecretFileMount & Keyed;
export type Draft = Loose<ServiceSettings>;

export const envPath = 'spec.template.envVars';
export const mountsPath = 'spec.template.secretFileMounts';

export const valueAt = (target: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), target);

/** Returns a copy with a new value at the path. Objects outside the path stay identical. */
export const withValue = <T>(target: T, path: string, value: unknown): T => {
  const [key = '', ...rest] = path.split('.');
  const from = target as Record<string, unknown>;
  const next = rest.length === 0 ? value : withValue(from[key], rest.join('.'), value);
  if (Array.isArray(target)) return target.with(Number(key), next) as T;
  return { ...from, [key]: next } as T;
};

let rowsMade = 0;
export const newRowKey = (): string => `row-${++rowsMade}`;
const keyed = <Row extends Keyed>(rows: readonly Row[]): Row[] =>
  rows.map((row) => (row.rowKey === undefined ? { ...row, rowKey: newRowKey() } : row));

export const envRowsOf = (draft: Draft): EnvRow[] => draft.spec.template.envVars as EnvRow[];
export const mountRowsOf = (draft: Draft): MountRow[] => draft.spec.template.secretFileMounts as MountRow[];

export const draftOf = (settings: ServiceSettings | Draft): Draft => {
  const draft = settings as Draft;
  const { template } = draft.spec;
  const rows = { envVars: keyed(envRowsOf(draft)), secretFileMounts: keyed(mountRowsOf(draft)) };
  return { ...draft, spec: { ...draft.spec, template: { ...template, ...rows } } };
};

/** Casts the draft for the contract's functions, which accept empty numbers and ignore row keys. */
export const asSettings = (draft: Draft): ServiceSettings => draft as ServiceSettings;
/** Parses the settings to send. Throws if the draft was not validated. */
export const settingsOf = (draft: Draft): ServiceSettings => z.parse(ServiceSettings, draft);

export const changesOf = (base: ServiceSettings, draft: Draft): ServiceChange[] => serviceChanges(base, asSettings(draft));

/** Returns the draft with one change reverted. */
export const putBack = (base: ServiceSettings, draft: Draft, path: string): Draft => draftOf(carryChanges(asSettings(draft), base, [path]));

/** Applies the draft's changes to other base settings. */
export const rebased = (from: ServiceSettings, draft: Draft, onto: ServiceSettings): Draft => {
  const paths = changesOf(from, draft).map(({ path }) => path);
  return draftOf(carryChanges(onto, asSettings(draft), paths));
};
