/** The kind `request`, for hints. It names nothing: clients load the requests that they may read. */
import { declareKind } from '../kernel/subject.ts';

export const requestKind = declareKind({
  kind: 'request',
  label: 'Request',
  plural: 'Requests',
  names: [],
  access: 'signedIn',
  shownBy: ['request'],
});
