/** The kind `apiToken`. Only its owner sees one: no hints are sent of its changes, and no list but that one shows it. */
import { declareKind } from './kernel/subject.ts';

export const apiTokenKind = declareKind({
  kind: 'apiToken',
  label: 'API token',
  plural: 'API tokens',
  names: [],
  access: 'administrator',
  shownBy: [],
});
