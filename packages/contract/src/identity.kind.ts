/** The kind `apiToken`. Nobody but its owner sees one, so that nobody is told of its changes. */
import { declareKind } from './kernel/subject.ts';

export const apiTokenKind = declareKind({
  kind: 'apiToken',
  label: 'API token',
  plural: 'API tokens',
  names: [],
  access: 'administrator',
  shownBy: [],
});
