/** The kind `secretGroup`. Strangers do not learn that one is there. What happens to it for a service's sake shows with the service, too. */
import { appKind } from '../application.kind.ts';
import { serviceKind } from '../service/service.kind.ts';
import { declareKind } from '../kernel/subject.ts';

export const secretGroupKind = declareKind({
  kind: 'secretGroup',
  label: 'Secret group',
  plural: 'Secret groups',
  under: appKind,
  alsoUnder: [serviceKind],
  names: ['env', 'group'],
  access: 'appMemberHidden',
  shownBy: ['secret', 'serviceSecret'],
  path: '/app/{app}/{env}/secret-group/{group}',
});
