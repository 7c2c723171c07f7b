/** Everything that is wrong with the settings, as the server would say it: the schema's limits of single fields and the rules between them. Pure. */
import type { FieldError } from '@slipway/contract/kernel/errors.ts';
import { fieldErrors } from '@slipway/contract/kernel/issues.ts';
import { serviceSettingsErrors, type SettingsFacts } from '@slipway/contract/service/service-rules.ts';
import { ServiceSettings, settingsFieldOf, settingsFields, type SettingsSection } from '@slipway/contract/service/service-settings.ts';
import * as z from 'zod/mini';
import { messageFor } from '#kit/error/messages.ts';
import { asSettings, envPath, mountsPath, valueAt, withValue, type Draft } from './draft.ts';
import { isVisible } from './visible.ts';
import type { ServiceSettingsView } from '@slipway/contract/service/service-operations.ts';

export interface SettingsError {
  readonly field: string;
  readonly section: SettingsSection;
  readonly message: string;
}

const partLabels: Readonly<Record<string, string>> = {
  name: 'Name',
  value: 'Value',
  secretGroup: 'Secret group',
  secretKey: 'Secret key',
  mountPath: 'Path',
  fileFormat: 'Format',
};
const isOfList = (field: string): boolean => field.startsWith(`${envPath}.`) || field.startsWith(`${mountsPath}.`);
export const labelOfField = (field: string): string =>
  (isOfList(field) ? partLabels[field.split('.').at(-1) ?? ''] : undefined) ?? settingsFieldOf(field)?.label ?? field;

const order = Object.keys(settingsFields);
const rankOf = (field: string): number => {
  const rank = order.findIndex((known) => field === known || field.startsWith(`${known}.`));
  return rank < 0 ? order.length : rank;
};

/** In the words and the order of the screen, one for each field; errors of no setting are left out. */
export const settingsErrorsOf = (errors: readonly FieldError[]): SettingsError[] => {
  const seen = new Set<string>();
  const found = errors.flatMap(({ field, code, context }): SettingsError[] => {
    const known = field === undefined ? undefined : settingsFieldOf(field);
    if (field === undefined || !known || seen.has(field)) return [];
    seen.add(field);
    return [{ field, section: known.section, message: messageFor(code, { ...context, label: labelOfField(field) }) }];
  });
  return found.toSorted((a, b) => rankOf(a.field) - rankOf(b.field));
};

const schemaErrors = (draft: Draft): FieldError[] => {
  const read = z.safeParse(ServiceSettings, draft, { reportInput: true });
  if (read.success) return [];
  return fieldErrors(read.error).map((error) => {
    // A field that was emptied is missing, whatever type it should be of.
    const value = valueAt(draft, error.field ?? '');
    return value === null || value === '' ? { ...error, code: 'Required' } : error;
  });
};

const scaling = 'spec.template.replicaScaling.';
const allErrors = (draft: Draft, facts: SettingsFacts): FieldError[] => {
  const ofFields = schemaErrors(draft);
  const ofRules = serviceSettingsErrors(asSettings(draft), facts);
  // Numbers cannot be compared with one that is missing.
  const isIncomplete = ofFields.some(({ field }) => field?.startsWith(scaling));
  return [...ofFields, ...ofRules.filter(({ field }) => !(isIncomplete && field?.startsWith(scaling)))];
};

/** Fields that are not on screen and cannot be sent as they are go back to what they were. */
export const withoutHidden = (draft: Draft, base: ServiceSettings): Draft =>
  schemaErrors(draft)
    .flatMap(({ field }) => (field !== undefined && !isVisible(draft, field) ? [field] : []))
    .reduce((found, field) => withValue(found, field, valueAt(base, field)), draft);

export const checkSettings = (draft: Draft, facts: SettingsFacts): SettingsError[] =>
  settingsErrorsOf(allErrors(draft, facts).filter(({ field }) => field === undefined || isVisible(draft, field)));

/** What the rules between fields must know beside the settings. */
export const factsOf = (view: ServiceSettingsView): SettingsFacts => ({
  imagePrefix: view.imagePrefix,
  secretGroups: new Map(view.secretGroups.map(({ name, keys }) => [name, keys])),
  appliedBasePath: view.appliedBasePath,
  hasVaultProxy: view.engine.hasVaultProxy,
  isNetworkIsolated: view.engine.isNetworkIsolated,
  insideHosts: view.engine.insideHosts,
});
