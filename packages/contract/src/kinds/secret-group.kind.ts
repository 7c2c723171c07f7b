/**
 * The kind `secretGroup`. Non-members cannot tell whether a group exists. Its pipelines and activity on behalf of a service also show with
 * the service.
 */
import { appKind } from './application.kind.ts';
import { serviceKind } from './service.kind.ts';
import { declareKind } from '../kernel/subject.ts';

export const secretGroupKind = declareKind({
  kind: 'secretGroup',
  label: 'Secret group',
  plural: 'Secret groups',
  under: appKind,
  alsoUnder: [serviceKind],
  names: ['env', 'group'],
  access: 'appMemberHidden',
  shownBy: ['secret', 'serviceSecret', 'appMap'],
  path: '/app/{app}/{env}/secret-group/{group}',
});
