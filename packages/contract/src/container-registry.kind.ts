/** The kind `robotAccount`. It has no page: the app's registry shows it, and the app's log tells of it. */
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
