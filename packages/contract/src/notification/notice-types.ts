/**
 * Every event that notifies somebody: its text, its recipients, and the defaults of its topic (catalog design §11). An area adds a row here
 * and calls `notify` with it.
 */
import { fill } from '../kernel/errors.ts';

export const cadences = ['OFF', 'AT_ONCE', 'DAILY', 'WEEKLY'] as const;
export type Cadence = (typeof cadences)[number];
/** A team's channel has no weekly digest. */
export const channelCadences = ['OFF', 'AT_ONCE', 'DAILY'] as const;
export type ChannelCadence = (typeof channelCadences)[number];

interface Topic {
  readonly label: string;
  readonly note: string;
  readonly group: 'Apps' | 'Requests' | 'Catalog entries';
  /** Defaults of a person. */
  readonly tray: boolean;
  readonly email: Cadence;
  /** Default of a team's channel. Null if no channel receives the topic. */
  readonly channel: ChannelCadence | null;
}
const topic = (group: Topic['group'], label: string, note: string, defaults: Pick<Topic, 'tray' | 'email' | 'channel'>): Topic => ({
  group,
  label,
  note,
  ...defaults,
});
const ofTeam = (channel: ChannelCadence) => ({ tray: true, email: 'OFF', channel }) as const;
const asked = { tray: true, email: 'AT_ONCE', channel: 'OFF' } as const;
const weekly = { tray: true, email: 'WEEKLY', channel: 'OFF' } as const;

/** The rows of the settings pages. */
export const notificationTopics = {
  'pipeline.failed': topic('Apps', 'A pipeline failed', 'with the step', ofTeam('AT_ONCE')),
  'service.health': topic('Apps', 'A service is failing, or healthy again', 'after two minutes, once per change', ofTeam('AT_ONCE')),
  expiry: topic('Apps', 'A robot account or secret expires', '14, 3 and 1 days before', ofTeam('DAILY')),
  backup: topic('Apps', 'A database backup failed or was missed', 'also if it cannot be restored', ofTeam('AT_ONCE')),
  drift: topic('Apps', 'A topic or schema was changed outside Slipway', 'once, until it is put back', ofTeam('DAILY')),
  freeze: topic('Apps', 'Somebody overrides a freeze of production', 'with the reason', ofTeam('AT_ONCE')),
  'request.decide': topic('Requests', 'A request waits for a decision', 'raised, due or delegated', asked),
  'request.own': topic('Requests', 'A request was decided', 'approved, rejected or void', asked),
  'request.comment': topic('Requests', 'A comment on a request', 'for the requester and earlier commenters', ofTeam('OFF')),
  owner: topic('Catalog entries', 'Owners of an entry change', 'for new owners, and for the others when one is removed', {
    ...asked,
    channel: null,
  }),
  'entry.attest': topic('Catalog entries', 'Still true?', 'once a year, again after 30 days', weekly),
  'entry.unverified': topic('Catalog entries', 'Not seen running for 30 days', 'and when it is seen again', weekly),
  'entry.overdue': topic('Catalog entries', 'A target date is near or passed', '30 and 7 days before, then daily', weekly),
  'entry.decommissioned': topic('Catalog entries', 'An entry was decommissioned', 'with who did it', weekly),
  summary: topic('Catalog entries', 'The monthly summary is ready', 'on the 1st', { tray: false, email: 'AT_ONCE', channel: null }),
} as const satisfies Record<string, Topic>;
export type NotificationTopic = keyof typeof notificationTopics;
const topicNames = Object.keys(notificationTopics);
export const isTopic = (name: string): name is NotificationTopic => topicNames.includes(name);
export const topics: readonly (readonly [NotificationTopic, Topic])[] = topicNames
  .filter(isTopic)
  .map((name) => [name, notificationTopics[name]]);
/** Topics that a team's channel can receive. */
export const channelTopics = topics.filter(([, { channel }]) => channel !== null);

interface NoticeTypeShape {
  readonly topic: NotificationTopic;
  /** `team`: members of the event's team. `people`: those that the event names. Channels always belong to the event's team. */
  readonly to: 'team' | 'people';
  /** True if somebody waits for the recipient. */
  readonly needsYou?: true;
  readonly tone: 'bad' | 'warn' | 'ok' | 'idle';
  /** Templates over the event's context. */
  readonly title: string;
  readonly detail: string;
}
export const noticeTypes = {
  'pipeline.failed': {
    topic: 'pipeline.failed',
    to: 'team',
    tone: 'bad',
    title: '{pipeline} failed for {name}',
    detail: '{place}Stopped at {step}',
  },
  'service.failing': {
    topic: 'service.health',
    to: 'team',
    tone: 'bad',
    title: '{name} is failing in {env}',
    detail: '{app} · {revision}',
  },
  'service.recovered': {
    topic: 'service.health',
    to: 'team',
    tone: 'ok',
    title: '{name} is healthy again in {env}',
    detail: '{app} · it was failing for {duration}',
  },
  'robot.expiring': {
    topic: 'expiry',
    to: 'team',
    tone: 'warn',
    title: 'The robot account {name} expires after {day}',
    detail: '{app} · rotate and extend it',
  },
  'secret.expiring': {
    topic: 'expiry',
    to: 'team',
    tone: 'warn',
    title: 'The secret {name} expires after {day}',
    detail: '{app} · secret group {group}',
  },
  'backup.failed': { topic: 'backup', to: 'team', tone: 'bad', title: 'The backup of {name} failed', detail: '{app} · {env}' },
  'backup.missed': {
    topic: 'backup',
    to: 'team',
    tone: 'bad',
    title: '{name} has had no backup for {hours} hours',
    detail: '{app} · {env}',
  },
  'backup.unrestorable': {
    topic: 'backup',
    to: 'team',
    tone: 'bad',
    title: 'The backup of {name} could not be restored',
    detail: '{app} · {env}',
  },
  'drift.found': {
    topic: 'drift',
    to: 'team',
    tone: 'warn',
    title: '{name} was changed outside Slipway',
    detail: '{app} · {env} · {what}',
  },
  'freeze.overridden': {
    topic: 'freeze',
    to: 'team',
    tone: 'warn',
    title: '{by} overrides the freeze of {app}',
    detail: '{name} · {reason}',
  },
  'request.raised': {
    topic: 'request.decide',
    to: 'people',
    needsYou: true,
    tone: 'idle',
    title: '{title}',
    detail: '{by} asks · {request}',
  },
  'request.due': {
    topic: 'request.decide',
    to: 'people',
    needsYou: true,
    tone: 'warn',
    title: '{title}',
    detail: '{by} waits for your decision · due {due}',
  },
  'request.delegated': {
    topic: 'request.decide',
    to: 'people',
    needsYou: true,
    tone: 'idle',
    title: '{title}',
    detail: '{by} delegated it to you · {request}',
  },
  'request.decided': {
    topic: 'request.own',
    to: 'people',
    tone: 'idle',
    title: '{title}: {decision}',
    detail: 'Decided by {by} · {request}',
  },
  'request.void': {
    topic: 'request.own',
    to: 'people',
    needsYou: true,
    tone: 'warn',
    title: 'Your request is void',
    detail: '{title}: {reason}',
  },
  'request.commented': { topic: 'request.comment', to: 'people', tone: 'idle', title: '{by} commented on {title}', detail: '{comment}' },
  'owner.added': { topic: 'owner', to: 'people', tone: 'idle', title: 'You own {name} now', detail: 'Added by {by}' },
  'owner.removed': { topic: 'owner', to: 'people', tone: 'idle', title: '{person} no longer owns {name}', detail: 'Removed by {by}' },
  'owner.left': {
    topic: 'owner',
    to: 'people',
    tone: 'warn',
    title: '{person} left and was an owner of {name}',
    detail: 'Choose another owner',
  },
  'entry.attest': {
    topic: 'entry.attest',
    to: 'people',
    needsYou: true,
    tone: 'idle',
    title: '{name}: still true?',
    detail: 'Confirm once a year · last on {last}',
  },
  'entry.unverified': {
    topic: 'entry.unverified',
    to: 'people',
    tone: 'warn',
    title: '{name} was not seen running for {days} days',
    detail: '{id}',
  },
  'entry.overdue': { topic: 'entry.overdue', to: 'people', tone: 'warn', title: '{name}: the target date is {date}', detail: '{id}' },
  'entry.decommissioned': {
    topic: 'entry.decommissioned',
    to: 'people',
    tone: 'idle',
    title: '{name} was decommissioned',
    detail: 'By {by}',
  },
  'summary.ready': { topic: 'summary', to: 'people', tone: 'idle', title: 'The summary of {month} is ready', detail: '{platform}' },
} as const satisfies Record<string, NoticeTypeShape>;
export type NoticeType = keyof typeof noticeTypes;
export const isNoticeType = (name: string): name is NoticeType => Object.hasOwn(noticeTypes, name);
export const noticeTypeOf = (type: NoticeType): NoticeTypeShape => noticeTypes[type];

/** Returns the sentences of a notice. A repeated event has its count in the title. */
export const noticeText = (
  type: NoticeType,
  context: Readonly<Record<string, string>>,
  count = 1,
): { readonly title: string; readonly detail: string } => {
  const { title, detail } = noticeTypeOf(type);
  // One line, whatever the context contains.
  const line = (template: string): string => fill(template, context).replace(/\s+/g, ' ').trim();
  return { title: line(title) + (count > 1 ? ` (${count} times)` : ''), detail: line(detail) };
};
