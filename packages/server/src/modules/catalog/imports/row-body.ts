/** Turns the cells of a row into the body of a write, and faults of the body back into fields of the import. */
import type * as z from 'zod/mini';
import { CatalogApplicationCreate } from '@slipway/contract/catalog/application.ts';
import type { EntryKind } from '@slipway/contract/catalog/entry.ts';
import { importFieldNames, importFields, type ImportField, type ImportMapping } from '@slipway/contract/catalog/import.ts';
import { CatalogPlatformCreate } from '@slipway/contract/catalog/platform.ts';
import { CatalogPortfolioCreate } from '@slipway/contract/catalog/portfolio.ts';
import { CatalogProductCreate } from '@slipway/contract/catalog/product.ts';
import { isErrorCode, labelled } from '@slipway/contract/kernel/errors.ts';
import { fieldErrors } from '@slipway/contract/kernel/issues.ts';
import { isRecord } from '@slipway/contract/kernel/is-record.ts';
import { Problem } from '#kernel/problem.ts';
import type { Body } from '../entries/entry-fields.ts';
import { flagIn, listIn } from './import-columns.ts';

const shared = { description: 'description', owners: 'owners', labels: 'labels' } as const;
const onPlatform = { platform: 'platformId' } as const;
/** Field of the kind's body that each field of an import fills. */
const bodyFields: Readonly<Record<EntryKind, Readonly<Partial<Record<ImportField, string>>>>> = {
  application: {
    name: 'applicationName',
    ...shared,
    ...onPlatform,
    criticality: 'criticalityId',
    classification: 'classificationId',
    mipLayer: 'mipLayerId',
    strategicIntent: 'strategicIntentId',
    targetDecommissioningDate: 'targetDecommissioningDate',
    productionDeployed: 'productionDeployed',
    explorationApp: 'explorationApp',
    locallyManaged: 'locallyManaged',
  },
  platform: { name: 'platformName', ...shared, portfolio: 'portfolioId', type: 'platformType' },
  portfolio: { name: 'portfolioName', ...shared, type: 'portfolioType', code: 'shortName' },
  product: { name: 'productName', ...shared, ...onPlatform, type: 'productType', code: 'productCode' },
};
const schemas: Readonly<Record<EntryKind, { readonly shape: Readonly<Record<string, z.ZodMiniType>> }>> = {
  application: CatalogApplicationCreate,
  platform: CatalogPlatformCreate,
  portfolio: CatalogPortfolioCreate,
  product: CatalogProductCreate,
};
const contextOf = (context: unknown): Record<string, string> =>
  isRecord(context) ? Object.fromEntries(Object.entries(context).map(([key, value]) => [key, String(value)])) : {};
const flags = new Set<ImportField>(['productionDeployed', 'explorationApp', 'locallyManaged']);
const lists = new Set<ImportField>(['owners', 'labels']);
const capitals = new Set<ImportField>(['type', 'code']);

/** Values of a row by field. Fields without a value are left out. */
export type RowValues = Readonly<Partial<Record<ImportField, string>>>;
export const valuesOfRow = (cells: readonly string[], mapping: ImportMapping): RowValues =>
  Object.fromEntries(
    importFields.flatMap((field) => {
      const { column = null, value = null } = mapping[field] ?? {};
      const text = (column === null ? '' : (cells[column] ?? '')) || (value ?? '');
      return text === '' ? [] : [[field, text]];
    }),
  );

const parsed = (field: ImportField, text: string): unknown => {
  if (flags.has(field)) {
    const flag = flagIn(text);
    if (flag === undefined) throw new Problem('InvalidValue', { field, context: { value: text } });
    return flag;
  }
  if (lists.has(field)) return listIn(text);
  return capitals.has(field) ? text.toUpperCase() : text;
};

/** Returns the body with the fields that the row has a value for. Throws the first field at fault. */
export const bodyOfRow = (kind: EntryKind, values: RowValues, isNew: boolean): Body => {
  const names = Object.entries(bodyFields[kind]) as [ImportField, string][];
  const body: Record<string, unknown> = {};
  for (const [field, name] of names) {
    const text = values[field];
    const schema = schemas[kind].shape[name];
    // The kinds other than applications take labels in another call, which lists the same ids.
    if (schema === undefined && field !== 'labels') continue;
    if (text === undefined && !isNew) continue;
    const value = text === undefined ? undefined : parsed(field, text);
    const result = schema?.safeParse(value, { reportInput: true });
    if (result && !result.success) {
      const [fault] = fieldErrors(result.error);
      const code = fault?.code ?? '';
      const context = labelled(contextOf(fault?.context), importFieldNames[field]);
      throw new Problem(isErrorCode(code) ? code : 'InvalidValue', { field, context });
    }
    const output = result ? result.data : value;
    if (output !== undefined) body[name] = output;
  }
  return body;
};

/** Returns the field of the import that a fault of the body is about. */
export const fieldOfFault = (kind: EntryKind, fault: string | undefined): string | null => {
  if (fault === undefined) return null;
  const [name = ''] = fault.split(/[.[]/);
  return Object.entries(bodyFields[kind]).find(([, of]) => of === name)?.[0] ?? name;
};

/** Reads what a Problem says about a row. */
export const faultOf = (kind: EntryKind, problem: Problem): { code: string; field: string | null; context: Record<string, string> } => {
  const [first] = problem.errors;
  return { code: first?.code ?? problem.code, field: fieldOfFault(kind, first?.field), context: contextOf(first?.context) };
};
