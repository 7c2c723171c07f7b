/** Validates the settings like the server: limits of single fields, and rules between fields. Pure. */
import type { SettingsSection } from '@slipway/contract/pipeline/service-change.ts';
import { labelled, type FieldError } from '@slipway/contract/kernel/errors.ts';
import { fieldErrors } from '@slipway/contract/kernel/issues.ts';
import { serviceSettingsErrors, type SettingsFacts } from '@slipway/contract/service/service-rules.ts';
import { ServiceSettings, settingsFieldOf, settingsFields } from '@slipway/contract/service/service-settings.ts';
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

/** Errors with screen labels, in screen order, one per field. Omits errors that belong to no setting. */
export const settingsErrorsOf = (errors: readonly FieldError[]): SettingsError[] => {
  const seen = new Set<string>();
  const found = errors.flatMap(({ field, code, context }): SettingsError[] => {
    const known = field === undefined ? undefined : settingsFieldOf(field);
    if (field === undefined || !known || seen.has(field)) return [];
    seen.add(field);
    return [{ field, section: known.section, message: messageFor(code, labelled(context, labelOfField(field))) }];
  });
  return found.toSorted((a, b) => rankOf(a.field) - rankOf(b.field));
};

const schemaErrors = (draft: Draft): FieldError[] => {
  const read = z.safeParse(ServiceSettings, draft, { reportInput: true });
  if (read.success) return [];
  return fieldErrors(read.error).map((error) => {
    // An empty field counts as missing, whatever its type.
    const value = valueAt(draft, error.field ?? '');
    return value === null || value === '' ? { ...error, code: 'Required' } : error;
  });
};

const scaling = 'spec.template.replicaScaling.';
const allErrors = (draft: Draft, facts: SettingsFacts): FieldError[] => {
  const ofFields = schemaErrors(draft);
  const ofRules = serviceSettingsErrors(asSettings(draft), facts);
  // Skips rules that compare numbers if one of the numbers is missing.
  const isIncomplete = ofFields.some(({ field }) => field?.startsWith(scaling));
  return [...ofFields, ...ofRules.filter(({ field }) => !(isIncomplete && field?.startsWith(scaling)))];
};

/** Resets hidden fields with invalid values to their saved values. */
export const withoutHidden = (draft: Draft, base: ServiceSettings): Draft =>
  schemaErrors(draft)
    .flatMap(({ field }) => (field !== undefined && !isVisible(draft, field) ? [field] : []))
    .reduce((found, field) => withValue(found, field, valueAt(base, field)), draft);

export const checkSettings = (draft: Draft, facts: SettingsFacts): SettingsError[] =>
  settingsErrorsOf(allErrors(draft, facts).filter(({ field }) => field === undefined || isVisible(draft, field)));

/** Facts that the rules between fields need besides the settings. */
export const factsOf = (view: ServiceSettingsView): SettingsFacts => ({
  imagePrefix: view.imagePrefix,
  secretGroups: new Map(view.secretGroups.map(({ name, keys }) => [name, keys])),
  appliedBasePath: view.appliedBasePath,
  hasVaultProxy: view.engine.hasVaultProxy,
  isNetworkIsolated: view.engine.isNetworkIsolated,
  insideHosts: view.engine.insideHosts,
});
