/** The kind `robotAccount`. A project serves both environments, so the address has no environment. The registry of its app lists it. */
import { appKind } from './application.kind.ts';
import { declareKind } from '../kernel/subject.ts';

export const robotAccountKind = declareKind({
  kind: 'robotAccount',
  label: 'Robot account',
  plural: 'Robot accounts',
  under: appKind,
  names: ['robot'],
  access: 'appMemberHidden',
  shownBy: ['robotAccount', 'containerRegistry'],
});
