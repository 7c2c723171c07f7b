/** Labels of channels and deliveries: whether a channel works, and how a delivery went. */
import {
  notificationFailureText,
  type NotificationChannel,
  type NotificationDelivery,
} from '@slipway/contract/notification/notification.ts';
import { duration } from '@slipway/ui/format/duration.ts';
import type { Tone } from '@slipway/ui/tone.ts';

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const DAY_MS = 86_400_000;
/** "08:14", or "3 Nov 08:14" for another day. */
export const timeWord = (at: string, now = Date.now()): string => {
  const date = new Date(at);
  const time = clock.format(date);
  return Math.abs(now - date.getTime()) < DAY_MS ? time : `${day.format(date)} ${time}`;
};

/** The last delivery of a channel that works has its time beside the word. */
export const channelLook = ({
  failingSince,
  lastDelivery,
}: Pick<NotificationChannel, 'failingSince' | 'lastDelivery'>): { tone: Tone; word: string } => {
  if (failingSince !== null) return { tone: 'bad', word: `Failing since ${timeWord(failingSince)}` };
  return lastDelivery === null ? { tone: 'off', word: 'Nothing sent yet' } : { tone: 'ok', word: 'Delivered' };
};

/** Says what a failing channel answers, and what waits. Undefined for a channel that works. */
export const failingText = ({
  name,
  failingSince,
  lastDelivery,
  waiting,
  nextTryAt,
}: NotificationChannel): { what: string; waits: string } | undefined => {
  if (failingSince === null || lastDelivery?.failure == null) return undefined;
  const next = nextTryAt === null ? '' : `; next attempt at ${timeWord(nextTryAt)}`;
  return {
    what: `${name}: ${notificationFailureText(lastDelivery.failure, lastDelivery.status)}.`,
    waits: waiting === 0 ? 'Nothing waits.' : `${waiting} ${waiting === 1 ? 'delivery waits' : 'deliveries wait'}${next}.`,
  };
};

const took = (ms: number): string => (ms < 1000 ? `${(ms / 1000).toFixed(1)} s` : duration(ms));
/** "08:44, attempt 4 of 6", "08:00, in 0.4 s". */
export const deliveryNote = ({ state, createdAt, tries, maxTries, durationMs, nextTryAt, event }: NotificationDelivery): string => {
  const at = timeWord(createdAt);
  if (state === 'DELIVERED') return `${at}, in ${took(durationMs ?? 0)}`;
  if (state === 'FAILED') return maxTries === 1 ? `${at}, failed` : `${at}, given up after ${tries} attempts`;
  if (tries > 0) return `${at}, attempt ${tries} of ${maxTries}`;
  return (event === 'DAILY' || event === 'WEEKLY') && nextTryAt !== null ? `scheduled for ${timeWord(nextTryAt)}` : `${at}, on the way`;
};
export const deliveryTone = ({ state, tries }: Pick<NotificationDelivery, 'state' | 'tries'>): Tone => {
  if (state === 'DELIVERED') return 'ok';
  return state === 'FAILED' || tries > 0 ? 'bad' : 'run';
};
