/** The kind `robotAccount`. It has no page: the registry of its app shows it, and the activity log of the app lists what happens to it. */
import { appKind } from './application.kind.ts';
import { declareKind } from './kernel/subject.ts';

export const robotAccountKind = declareKind({
  kind: 'robotAccount',
  label: 'Robot account',
  plural: 'Robot accounts',
  under: appKind,
  names: [],
  access: 'appMemberHidden',
  shownBy: ['containerRegistry'],
});
