/** Imports of entries from a file: uploaded once, checked as a preview, then applied row by row. */
import * as z from 'zod/mini';
import { Instant } from '../kernel/fields.ts';
import { route } from '../kernel/kernel.ts';
import { catalogPath, catalogTag as tag, EntryKind, listOfWords, recordCodes, recordsOf, recordsQuery } from './entry.ts';

export const importFormats = ['CSV', 'LEANIX', 'BACKSTAGE'] as const;
export type ImportFormat = (typeof importFormats)[number];
/** `UPLOADING`: rows arrive. `CHECKING`: the preview is made. `CHECKED`: waits for the start. `APPLYING`: entries are written. */
export const importStates = ['UPLOADING', 'CHECKING', 'CHECKED', 'APPLYING', 'DONE', 'CANCELED'] as const;
export const importOutcomes = ['CREATE', 'CHANGE', 'SAME', 'REFUSED', 'LEFT_OUT'] as const;
export type ImportOutcome = (typeof importOutcomes)[number];

export const maxImportRows = 100_000;
export const maxImportMegabytes = 64;
/** A catalog-info file is parsed in memory. */
export const maxBackstageMegabytes = 16;
/** Rows of an import whose entries wait for approvers, who decide each of them. */
export const maxRequestedRows = 500;
/** Imports of one person that are not done. */
export const maxOpenImports = 3;
/** Finished imports are deleted after this many days. */
export const importsKeptDays = 30;

/** Fields that a column can fill, with their names for people. */
export const importFieldNames = {
  kind: 'Kind',
  id: 'Catalog id',
  externalId: 'Id in the source',
  name: 'Name',
  description: 'Description',
  owners: 'Owners',
  platform: 'Platform',
  portfolio: 'Portfolio',
  type: 'Type',
  code: 'Code or short name',
  criticality: 'Criticality',
  classification: 'Classification',
  mipLayer: 'MIP layer',
  strategicIntent: 'Strategic intent',
  targetDecommissioningDate: 'Target decommissioning date',
  productionDeployed: 'In production',
  explorationApp: 'Exploration',
  locallyManaged: 'Managed elsewhere',
  labels: 'Labels',
} as const;
export type ImportField = keyof typeof importFieldNames;
export const importFields = Object.keys(importFieldNames) as [ImportField, ...ImportField[]];

const FieldSource = z.object({
  /** Position of the column in the file, from 0. */
  column: z.nullable(z.number().check(z.int(), z.minimum(0), z.maximum(499))),
  /** Value of rows whose column is empty or absent. */
  value: z.nullable(z.string().check(z.trim(), z.maxLength(500, { error: 'ExceedsMaximumLength' }))),
});
export const ImportMapping = z.partialRecord(z.enum(importFields), FieldSource);
export type ImportMapping = z.infer<typeof ImportMapping>;

export const ImportCounts = z.object({
  /** Rows that the preview has judged. */
  checked: z.number(),
  /** Rows that are written or refused, of those to create and change. */
  applied: z.number(),
  create: z.number(),
  change: z.number(),
  same: z.number(),
  refused: z.number(),
  leftOut: z.number(),
  /** Rows whose change waits for an approver. */
  requested: z.number(),
});
export type ImportCounts = z.infer<typeof ImportCounts>;
export const CatalogImport = z.object({
  id: z.string(),
  fileName: z.string(),
  format: z.enum(importFormats),
  state: z.enum(importStates),
  rows: z.number(),
  columns: z.array(z.string()),
  /** Values of each column in the first rows. */
  samples: z.array(z.array(z.string())),
  mapping: ImportMapping,
  counts: ImportCounts,
  /** True if entries become active at once: the importer is a platform administrator. */
  isDirect: z.boolean(),
  /** Why the import was canceled. */
  failure: z.nullable(z.string()),
  createdDate: Instant,
  endedDate: z.nullable(Instant),
});
export type CatalogImport = z.infer<typeof CatalogImport>;

export const CatalogImportRow = z.object({
  /** Line of the file, or number of the document. */
  line: z.number(),
  kind: z.nullable(EntryKind),
  name: z.nullable(z.string()),
  /** The preview of the row, or its result once `isApplied` is true. Null while the row waits for its check. */
  outcome: z.nullable(z.enum(importOutcomes)),
  isApplied: z.boolean(),
  entryId: z.nullable(z.string()),
  requestId: z.nullable(z.string()),
  /** Field at fault, with the header of its column. */
  field: z.nullable(z.string()),
  column: z.nullable(z.string()),
  code: z.nullable(z.string()),
  /** The code as a sentence. */
  message: z.nullable(z.string()),
});
export type CatalogImportRow = z.infer<typeof CatalogImportRow>;

const path = `${catalogPath}/imports`;
const one = `${path}/{importId}` as const;
const shared = { tag, access: 'signedIn' } as const;
const missing = 'ImportDoesNotExist';
export const catalogImportCreate = route({
  ...shared,
  id: 'catalogImportCreate',
  method: 'POST',
  path,
  summary: 'Upload a CSV file, a LeanIX export saved as CSV, or a Backstage catalog-info file',
  description: `Send CSV as \`text/csv\` and catalog-info files as \`application/yaml\`. A file has at most ${maxImportRows} rows. Nothing is written to the catalog before the start.`,
  query: z.object({ fileName: z._default(z.string().check(z.trim(), z.maxLength(200, { error: 'ExceedsMaximumLength' })), 'import') }),
  body: z.unknown(),
  bodyMediaType: 'text/csv',
  bodyLimitKilobytes: maxImportMegabytes * 1024,
  // Not secret, but too large to store for idempotency. A repeated upload is a second preview, which writes nothing.
  isSecret: true,
  response: CatalogImport,
  status: 201,
  codes: ['ImportUnreadable', 'ImportTooLarge', 'TooManyImports', 'ExceedsMaximumLength'],
});
export const catalogImportList = route({
  ...shared,
  id: 'catalogImportList',
  method: 'GET',
  path,
  summary: "The caller's imports, newest first",
  response: z.array(CatalogImport),
  codes: [],
});
export const catalogImportView = route({
  ...shared,
  id: 'catalogImportView',
  method: 'GET',
  path: one,
  summary: 'One import with its progress',
  response: CatalogImport,
  codes: [missing],
});
export const catalogImportRows = route({
  ...shared,
  id: 'catalogImportRows',
  method: 'GET',
  path: `${one}/rows`,
  summary: 'Rows of an import, in the order of the file',
  query: z.extend(z.omit(recordsQuery(['line']), { sort: true }), { outcome: listOfWords(importOutcomes) }),
  response: recordsOf(CatalogImportRow),
  codes: [...recordCodes, missing],
});
export const catalogImportMappingSet = route({
  ...shared,
  id: 'catalogImportMappingSet',
  method: 'PUT',
  path: `${one}/mapping`,
  summary: 'Set the column for each field, and check all rows again',
  body: z.object({ mapping: ImportMapping }),
  response: CatalogImport,
  codes: ['Required', 'InvalidValue', 'Maximum', 'Minimum', 'ExceedsMaximumLength', missing, 'ImportNotOpen'],
});
export const catalogImportStart = route({
  ...shared,
  id: 'catalogImportStart',
  method: 'POST',
  path: `${one}/start`,
  summary: 'Write the rows of the preview to the catalog',
  response: CatalogImport,
  codes: [missing, 'ImportNotOpen', 'ImportTooLarge'],
});
export const catalogImportDelete = route({
  ...shared,
  id: 'catalogImportDelete',
  method: 'DELETE',
  path: one,
  summary: 'Cancel a running import, or delete another one with its file. Entries stay as they are',
  codes: [missing],
});
export const catalogImportResult = route({
  ...shared,
  id: 'catalogImportResult',
  method: 'GET',
  path: `${one}/result`,
  summary: 'The file with the outcome of each row, as CSV',
  query: z.object({ outcome: listOfWords(importOutcomes) }),
  stream: 'text',
  mediaTypes: ['text/csv'],
  codes: ['InvalidValue', missing],
});
