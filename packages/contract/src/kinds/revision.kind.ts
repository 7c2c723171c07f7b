/** The kinds `revision`, a part of a service, and `instance`, which exists only in hints. */
import { serviceKind } from './service.kind.ts';
import { declareKind } from '../kernel/subject.ts';

export const revisionKind = declareKind({
  kind: 'revision',
  label: 'Revision',
  plural: 'Revisions',
  under: serviceKind,
  names: ['revision'],
  access: 'signedIn',
  shownBy: ['revision', 'service', 'application', 'appMap', 'teamMap'],
  path: '/app/{app}/{env}/service/{service}/revision/{revision}',
  pipelines: { RevisionActivation: 'Enable or disable a revision', DeleteRevision: 'Delete revision' },
});

export const instanceKind = declareKind({
  kind: 'instance',
  label: 'Instance',
  plural: 'Instances',
  under: revisionKind,
  names: [],
  access: 'signedIn',
  shownBy: ['revision', 'service', 'applicationSummary', 'appMap', 'teamMap'],
});
