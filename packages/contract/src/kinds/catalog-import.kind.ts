/** Imports of catalog entries. Hints carry the id alone. */
import { declareKind } from '../kernel/subject.ts';

export const catalogImportKind = declareKind({
  kind: 'catalogImport',
  label: 'Catalog import',
  plural: 'Catalog imports',
  names: ['importId'],
  access: 'signedIn',
  shownBy: ['catalogImport'],
  path: '/catalogue/imports/{importId}',
});
