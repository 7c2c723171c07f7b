/**
 * The kind `topicGrant`: that an account may read or write a topic. It has no address of its own; both apps hear of its changes, that of the
 * account and that of the topic.
 */
import { appKind } from '../application.kind.ts';
import { declareKind } from '../kernel/subject.ts';

export const topicGrantKind = declareKind({
  kind: 'topicGrant',
  label: 'Topic request',
  plural: 'Topic requests',
  under: appKind,
  names: [],
  access: 'appMemberHidden',
  shownBy: ['topicGrant', 'account', 'topicUsage'],
});
