/** The settings while they are edited: numbers may be empty, rows of lists carry a key, and everything is reached by its path. Pure. */
import { isRecord } from '@slipway/contract/kernel/is-record.ts';
import { serviceChanges, carryChanges, type ServiceChange } from '@slipway/contract/service/settings-diff.ts';
import type { EnvVar, SecretFileMount } from '@slipway/contract/service/service-spec.ts';
import { ServiceSettings } from '@slipway/contract/service/service-settings.ts';
import * as z from 'zod/mini';

/** What an empty number field holds until something is typed. */
type Loose<T> = T extends number
  ? number | null
  : T extends readonly (infer Item)[]
    ? Loose<Item>[]
    : T extends object
      ? { [Key in keyof T]: Loose<T[Key]> }
      : T;
interface Keyed {
  /** Tells rows apart while their names are typed; never sent. */
  rowKey?: string;
}
export type EnvRow = EnvVar & Keyed;
export type MountRow = SecretFileMount & Keyed;
export type Draft = Loose<ServiceSettings>;

export const envPath = 'spec.template.envVars';
export const mountsPath = 'spec.template.secretFileMounts';

export const valueAt = (target: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), target);

/** A copy with another value at the path; what the path does not touch stays the same object. */
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

/** As the contract's functions take it; they do not mind an empty number, and look at no row's key. */
export const asSettings = (draft: Draft): ServiceSettings => draft as ServiceSettings;
/** What is sent. Throws for a draft that was not checked. */
export const settingsOf = (draft: Draft): ServiceSettings => z.parse(ServiceSettings, draft);

export const changesOf = (base: ServiceSettings, draft: Draft): ServiceChange[] => serviceChanges(base, asSettings(draft));

/** The draft with one change taken back, and nothing else. */
export const putBack = (base: ServiceSettings, draft: Draft, path: string): Draft => draftOf(carryChanges(asSettings(draft), base, [path]));

/** One's own changes, made to other settings than they were made to. */
export const rebased = (from: ServiceSettings, draft: Draft, onto: ServiceSettings): Draft => {
  const paths = changesOf(from, draft).map(({ path }) => path);
  return draftOf(carryChanges(onto, asSettings(draft), paths));
};
