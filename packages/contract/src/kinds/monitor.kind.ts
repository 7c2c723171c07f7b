/** The kind `monitor`. Sessions and errors of people are private, so only members of the team read them. */
import { appKind } from './application.kind.ts';
import { declareKind } from '../kernel/subject.ts';

export const monitorKind = declareKind({
  kind: 'monitor',
  label: 'Browser monitor',
  plural: 'Browser monitors',
  under: appKind,
  names: ['env', 'monitor'],
  access: 'appMember',
  shownBy: ['monitor'],
  path: '/app/{app}/{env}/monitoring/{monitor}',
  listPath: '/app/{app}/{env}/monitoring',
  newPath: '/app/{app}/{env}/new-monitor',
});
