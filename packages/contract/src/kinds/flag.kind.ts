/** The kinds of feature flags: flags and saved groups belong to an app, client keys to one environment of an app. */
import { appKind } from './application.kind.ts';
import { declareKind } from '../kernel/subject.ts';

export const flagKind = declareKind({
  kind: 'flag',
  label: 'Flag',
  plural: 'Flags',
  under: appKind,
  names: ['flag'],
  access: 'appMemberHidden',
  shownBy: ['flag'],
});
export const flagGroupKind = declareKind({
  kind: 'flagGroup',
  label: 'Saved group',
  plural: 'Saved groups',
  under: appKind,
  names: ['group'],
  access: 'appMemberHidden',
  shownBy: ['flag'],
});
export const flagKeyKind = declareKind({
  kind: 'flagKey',
  label: 'Client key',
  plural: 'Client keys',
  under: appKind,
  names: ['env', 'key'],
  access: 'appMemberHidden',
  shownBy: ['flagKey', 'flagList', 'flagView'],
});
