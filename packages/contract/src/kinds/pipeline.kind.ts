/** The kinds `pipeline` and `activity`: they concern other subjects and exist only in hints. */
import { appKind } from './application.kind.ts';
import { declareKind } from '../kernel/subject.ts';

export const pipelineKind = declareKind({
  kind: 'pipeline',
  label: 'Pipeline',
  plural: 'Pipelines',
  names: ['pipelineId'],
  access: 'signedIn',
  shownBy: ['pipeline', 'quickstartPipeline'],
  path: '/pipelines/{pipelineId}',
});

export const activityKind = declareKind({
  kind: 'activity',
  label: 'Activity',
  plural: 'Activity',
  under: appKind,
  names: [],
  access: 'appMemberHidden',
  shownBy: ['appActivity', 'teamActivity'],
});
