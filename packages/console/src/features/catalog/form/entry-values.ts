/** The values of the form of an entry: defaults, rules, and the body that is sent. */
import { EntryDescription, EntryName, type EntryKind } from '@slipway/contract/catalog/entry.ts';
import { isRecord } from '@slipway/contract/kernel/is-record.ts';
import * as z from 'zod/mini';
import { entryKindOf } from '@slipway/contract/catalog/entry-kind-of.ts';
import type { Entry } from '#features/catalog/entry-kinds.ts';

const required = z.string().check(z.minLength(1, { error: 'Required' }));
const optional = z.string();

/** The fields of each kind in the order of the form, after name, description and owners. */
const kindFields = {
  application: {
    platformId: required,
    productionDeployed: z.boolean(),
    locallyManaged: z.boolean(),
    explorationApp: z.boolean(),
    criticalityId: optional,
    classificationId: optional,
    mipLayerId: optional,
    strategicIntentId: optional,
    targetDecommissioningDate: optional,
  },
  platform: { portfolioId: required, platformType: required },
  portfolio: { portfolioType: required, shortName: optional, eaContacts: z.array(z.string()) },
  product: { platformId: required, productType: required, productCode: required },
} as const;

export const emptyValues = {
  name: '',
  description: '',
  owners: [] as string[],
  requestComment: '',
  platformId: '',
  portfolioId: '',
  productionDeployed: false,
  locallyManaged: false,
  explorationApp: false,
  criticalityId: '',
  classificationId: '',
  mipLayerId: '',
  strategicIntentId: '',
  targetDecommissioningDate: '',
  platformType: '',
  portfolioType: '',
  shortName: '',
  eaContacts: [] as string[],
  productType: 'INTERNAL',
  productCode: '',
};
export type EntryValues = typeof emptyValues;

export const entryLabels: Readonly<Record<keyof EntryValues, string>> = {
  name: 'Name',
  description: 'What it is for',
  owners: 'Owners',
  requestComment: 'Comment for the approvers',
  platformId: 'Platform',
  portfolioId: 'Portfolio',
  productionDeployed: 'In production',
  locallyManaged: 'Where it runs',
  explorationApp: 'Exploration',
  criticalityId: 'Criticality',
  classificationId: 'Classification',
  mipLayerId: 'MIP layer',
  strategicIntentId: 'Strategic intent',
  targetDecommissioningDate: 'Target date to leave',
  platformType: 'Type',
  portfolioType: 'Type',
  shortName: 'Short name',
  eaContacts: 'Enterprise architects',
  productType: 'Type',
  productCode: 'Product code',
};
/** The server's names of the fields that the form calls by another name. */
export const serverFields = { applicationName: 'name', platformName: 'name', portfolioName: 'name', productName: 'name' } as const;

export const entrySchema = (kind: EntryKind): z.ZodMiniType<EntryValues, EntryValues> =>
  z.looseObject({
    name: EntryName,
    description: EntryDescription,
    owners: z.array(z.string()).check(z.minLength(1, { error: 'Required' }), z.maxLength(10, { error: 'Maximum' })),
    ...kindFields[kind],
  }) as unknown as z.ZodMiniType<EntryValues, EntryValues>;

/** Returns the body of the write. Empty choices are null, and an empty comment is left out. */
export const bodyOf = (kind: EntryKind, values: EntryValues): Record<string, unknown> => {
  const own = Object.keys(kindFields[kind]).map((name) => [name, values[name as keyof EntryValues]] as const);
  const isChoice = (name: string): boolean => /Id$|Date$/.test(name);
  return {
    [entryKindOf[kind].nameField]: values.name,
    description: values.description,
    owners: values.owners,
    ...(values.requestComment.trim() === '' ? {} : { requestComment: values.requestComment }),
    ...Object.fromEntries(
      own.filter(([name, value]) => value !== '' || isChoice(name)).map(([name, value]) => [name, value === '' ? null : value]),
    ),
  };
};

/**
 * Returns the body of a change: the fields that the specification requires of every PUT, and those that differ. An unchanged field that is
 * left out keeps its value, even if it would no longer be accepted, such as a date that has passed.
 */
export const changeOf = (kind: EntryKind, before: EntryValues, after: EntryValues): Record<string, unknown> => {
  const known = bodyOf(kind, before);
  const fields: Readonly<Record<string, unknown>> = kindFields[kind];
  const isRequired = (name: string): boolean =>
    [entryKindOf[kind].nameField, 'description', 'owners'].includes(name) || fields[name] === required;
  return Object.fromEntries(
    Object.entries(bodyOf(kind, after)).filter(
      ([name, value]) => isRequired(name) || JSON.stringify(value) !== JSON.stringify(known[name]),
    ),
  );
};

/** Views show these fields as objects under another name. */
const objects: Readonly<Record<string, string>> = {
  platformId: 'platform',
  portfolioId: 'portfolio',
  criticalityId: 'criticalityCategory',
  classificationId: 'classification',
  mipLayerId: 'mipLayer',
  strategicIntentId: 'strategicIntent',
};
const idIn = (value: unknown, name: string): unknown => (isRecord(value) ? (value['id'] ?? value[name]) : value);

/** The form's values of an existing entry. */
export const valuesOf = (entry: Entry): EntryValues => {
  const view: Readonly<Record<string, unknown>> = { ...entry };
  const known = Object.entries(emptyValues).map(([name, empty]) => {
    const value = view[objects[name] ?? name];
    return [name, (Array.isArray(value) ? value.map((one: unknown) => idIn(one, name)) : idIn(value, name)) ?? empty];
  });
  return Object.fromEntries(known) as EntryValues;
};
