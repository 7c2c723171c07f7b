/**
 * The kind `topicGrant`: an account's right to read or write a topic. It has no address of its own. Both the account's app and the topic's
 * app receive its hints.
 */
import { appKind } from './application.kind.ts';
import { declareKind } from '../kernel/subject.ts';

export const topicGrantKind = declareKind({
  kind: 'topicGrant',
  label: 'Topic request',
  plural: 'Topic requests',
  under: appKind,
  names: [],
  access: 'appMemberHidden',
  shownBy: ['topicGrant', 'account', 'topicUsage', 'request', 'appMap', 'teamMap'],
});
