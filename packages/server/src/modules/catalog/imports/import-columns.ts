/** Guesses which column fills which field, and how values of other systems are called here. */
import { importFields, type ImportField, type ImportFormat, type ImportMapping } from '@slipway/contract/catalog/import.ts';

/** Headers by field, without case and punctuation. The first match wins. */
const headers: Readonly<Record<ImportField, readonly string[]>> = {
  kind: ['kind', 'type', 'factsheettype', 'entrytype'],
  id: ['id', 'macid', 'applicationid', 'platformid', 'portfolioid', 'productid', 'catalogid', 'entryid'],
  externalId: ['externalid', 'sourceid', 'id', 'entityref'],
  name: ['name', 'applicationname', 'platformname', 'portfolioname', 'productname', 'displayname', 'title'],
  description: ['description', 'purpose', 'summary'],
  owners: ['owners', 'owner', 'responsible', 'subscriptions', 'subscriptionsresponsible', 'email'],
  platform: ['platform', 'platformid', 'platformname', 'relapplicationtoplatform', 'system'],
  portfolio: ['portfolio', 'portfolioid', 'portfolioname', 'domain', 'reltoparent'],
  type: ['entrysubtype', 'platformtype', 'portfoliotype', 'producttype', 'subtype', 'type'],
  code: ['code', 'productcode', 'shortname', 'alias'],
  criticality: ['criticality', 'criticalityid', 'criticalitycategory', 'businesscriticality'],
  classification: ['classification', 'classificationid', 'informationclassification', 'dataclassification', 'confidentiality'],
  mipLayer: ['miplayer', 'miplayerid', 'layer'],
  strategicIntent: ['strategicintent', 'strategicintentid', 'intent', 'timeclassification'],
  targetDecommissioningDate: ['targetdecommissioningdate', 'decommissioningdate', 'lifecycleendoflife', 'endoflife'],
  productionDeployed: ['productiondeployed', 'inproduction'],
  explorationApp: ['explorationapp', 'exploration'],
  locallyManaged: ['locallymanaged', 'managedelsewhere'],
  labels: ['labels', 'tags'],
};
/** `lifecycle:endOfLife` → `lifecycleendoflife`. */
const plain = (header: string): string => header.toLowerCase().replace(/[^a-z0-9]+/g, '');

/** LeanIX exports have the columns `id`, `type` and `name` in any case. Its ids are no ids of this catalog. */
export const formatOf = (columns: readonly string[]): ImportFormat => {
  const names = new Set(columns.map(plain));
  const isLeanix = ['id', 'type', 'name'].every((name) => names.has(name)) && !names.has('kind');
  return isLeanix ? 'LEANIX' : 'CSV';
};

export const guessMapping = (format: ImportFormat, columns: readonly string[]): ImportMapping => {
  const names = columns.map(plain);
  const taken = new Set<number>();
  const mapping: ImportMapping = {};
  for (const field of importFields) {
    // Only in other systems is an id an id of the source.
    if (format === 'LEANIX' && field === 'id') continue;
    // Tags are rarely labels of this catalog, and an unknown label refuses the row.
    if (format === 'BACKSTAGE' && field === 'labels') continue;
    const known = headers[field].filter((name) => format === 'LEANIX' || field !== 'externalId' || name !== 'id');
    const column = known.map((name) => names.indexOf(name)).find((at) => at >= 0 && !taken.has(at));
    if (column === undefined) continue;
    // A column called `type` is the kind, unless another one is called `kind`.
    taken.add(column);
    mapping[field] = { column, value: null };
  }
  if (mapping.kind === undefined) mapping.kind = { column: null, value: 'application' };
  return mapping;
};

/** Catalog kinds by the words of Backstage, LeanIX and exports of this catalog. */
export const kindWords: Readonly<Record<string, string>> = {
  application: 'application',
  app: 'application',
  component: 'application',
  itcomponent: 'application',
  platform: 'platform',
  system: 'platform',
  portfolio: 'portfolio',
  domain: 'portfolio',
  product: 'product',
};

/** Words of other systems for the seeded options, by plain word. */
const optionWords: Readonly<Record<string, string>> = {
  // LeanIX.
  businessoperational: 'important',
  administrativeservice: 'supporting',
  tolerate: 'keep',
  migrate: 'move-off',
  eliminate: 'retire',
};
/** Returns the id of the option that the text names by id or name, or the text. */
export const optionIn = (options: readonly { readonly id: string; readonly name: string }[], text: string): string => {
  const wanted = optionWords[plain(text)] ?? text;
  return options.find(({ id, name }) => plain(id) === plain(wanted) || plain(name) === plain(wanted))?.id ?? text;
};

const yes = new Set(['true', 'yes', 'y', '1', 'x']);
const no = new Set(['false', 'no', 'n', '0']);
/** Returns undefined for other texts. */
export const flagIn = (text: string): boolean | undefined =>
  yes.has(text.toLowerCase()) ? true : no.has(text.toLowerCase()) ? false : undefined;

/** Splits a list at semicolons, commas, bars and line breaks. */
export const listIn = (text: string): string[] =>
  text
    .split(/[;,|\n]/)
    .map((item) => item.trim())
    .filter((item) => item !== '');
