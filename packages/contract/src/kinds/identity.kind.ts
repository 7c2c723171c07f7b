/** The kind `apiToken`. Only its owner can see a token: its changes send no hints, and it appears only in its owner's list. */
import { declareKind } from '../kernel/subject.ts';

export const apiTokenKind = declareKind({
  kind: 'apiToken',
  label: 'API token',
  plural: 'API tokens',
  names: [],
  access: 'administrator',
  shownBy: [],
});
