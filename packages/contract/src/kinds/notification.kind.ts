/** The kinds of notifications: a channel of a team, and the notices of one person, which only that person gets hints about. */
import { declareKind } from '../kernel/subject.ts';
import { teamKind } from './team.kind.ts';

export const notificationChannelKind = declareKind({
  kind: 'notificationChannel',
  label: 'Notification channel',
  plural: 'Notification channels',
  under: teamKind,
  names: ['channel'],
  access: 'teamMember',
  shownBy: ['notification'],
  listPath: '/team/{team}/notifications',
});

/** A hint names the person as `identity`, who alone receives it. */
export const noticeKind = declareKind({
  kind: 'notice',
  label: 'Notification',
  plural: 'Notifications',
  names: [],
  access: 'signedIn',
  shownBy: ['notice'],
});
