/** Labels for topics, schemas and accounts. */
import type { Account } from '@slipway/contract/streaming/account.ts';
import type { Schema } from '@slipway/contract/streaming/schema.ts';
import type { CleanupPolicy } from '@slipway/contract/streaming/streaming.ts';
import type { Topic } from '@slipway/contract/streaming/topic.ts';
import { lagWarnings, type TopicReader } from '@slipway/contract/streaming/topic-status.ts';
import { count } from '@slipway/ui/format/count.ts';
import { duration } from '@slipway/ui/format/duration.ts';
import { lifecycleLook, type StatusLook } from '#entities/status.ts';

const hourMs = 3_600_000;

/** One decimal below ten: 0.4, 3.1, 42. */
export const rateLabel = (rate: number): string => rate.toLocaleString('en', { maximumFractionDigits: rate < 10 ? 1 : 0 });

export const cleanupLabels: Readonly<Record<CleanupPolicy, string>> = {
  DELETE: 'Delete old messages',
  COMPACT: 'Keep the newest of each key',
  COMPACT_DELETE: 'Keep the newest of each key, then delete',
};

/** Shows whole days from two days on. 24 hours stay "24 h", as the user typed them. */
export const hoursLabel = (hours: number): string => (hours >= 48 && hours % 24 === 0 ? `${hours / 24} days` : `${hours} h`);

type Kept = Pick<Topic['spec'], 'cleanupPolicy' | 'retentionHours'>;
export const keptLabel = ({ cleanupPolicy, retentionHours }: Kept): string =>
  cleanupPolicy === 'COMPACT'
    ? 'per key'
    : cleanupPolicy === 'COMPACT_DELETE'
      ? `per key, ${hoursLabel(retentionHours)}`
      : hoursLabel(retentionHours);
/** How long messages wait for a reader. Null if compaction keeps the newest message of each key forever. */
export const retentionMs = ({ cleanupPolicy, retentionHours }: Kept): number | null =>
  cleanupPolicy === 'COMPACT' ? null : retentionHours * hourMs;

/** Lag as a share of the retention time, with a label. Without a timestamp, shows only the count. */
export interface Behind {
  readonly share: number | null;
  readonly label: string;
  readonly tone: 'ok' | 'warn' | 'bad';
}
export const behindOf = (lagMs: number | null, lagMessages: number, kept: number | null): Behind => {
  if (lagMessages === 0) return { share: kept === null ? null : 0, label: '0 s', tone: 'ok' };
  if (lagMs === null) return { share: null, label: count(lagMessages, 'message'), tone: 'ok' };
  const share = kept === null ? null : lagMs / kept;
  const tone = share === null || share < lagWarnings.look ? 'ok' : share < lagWarnings.bad ? 'warn' : 'bad';
  return { share, label: duration(lagMs), tone };
};

/** A lagging reader without a client won't catch up on its own, so it gets a warning. */
export const readerLook = (reader: Pick<TopicReader, 'members' | 'lagMs' | 'lagMessages'>, kept: number | null): StatusLook => {
  const { tone } = behindOf(reader.lagMs, reader.lagMessages, kept);
  if (tone === 'bad') return { tone, word: 'About to lose messages' };
  if (reader.members === 0 && reader.lagMessages > 0) return { tone: 'warn', word: 'No client' };
  if (tone === 'warn') return { tone, word: 'Behind' };
  return reader.members === 0 ? { tone: 'idle', word: 'No client' } : { tone: 'ok', word: 'Healthy' };
};

/** Replaces a healthy status while it cannot be verified. */
const unknown: StatusLook = { tone: 'idle', word: 'Not known now' };

/** `isAway`: the cluster or the registry is unreachable, so health is unknown. */
export const topicLook = (topic: Topic, isAway = false): StatusLook => {
  const { state, observed, drift, spec } = topic;
  const lifecycle = lifecycleLook[state];
  if (lifecycle) return lifecycle;
  const slowest = observed?.slowest;
  if (slowest) {
    const look = readerLook({ ...slowest, members: slowest.hasMembers ? 1 : 0 }, retentionMs(spec));
    if (look.tone === 'bad') return { tone: 'bad', word: `${slowest.group} is about to lose messages` };
    if (look.tone === 'warn') return { tone: 'warn', word: `${slowest.group} ${slowest.hasMembers ? 'is behind' : 'stopped reading'}` };
  }
  if (drift !== null && drift.count > 0)
    return { tone: 'warn', word: `${count(drift.count, 'setting')} ${drift.count === 1 ? 'differs' : 'differ'} from the cluster` };
  if (observed === null) return { tone: 'idle', word: 'Not looked at yet' };
  return isAway ? unknown : { tone: 'ok', word: 'Healthy' };
};

/** `isAway`: the registry is unreachable. */
export const schemaLook = ({ state, draft, drift }: Pick<Schema, 'state' | 'draft' | 'drift'>, isAway = false): StatusLook => {
  const lifecycle = lifecycleLook[state];
  if (lifecycle) return lifecycle;
  if (draft !== null) return { tone: 'run', word: 'Being changed' };
  if (drift !== null && drift.count > 0) return { tone: 'warn', word: 'Differs from the registry' };
  return isAway ? unknown : { tone: 'ok', word: 'Ready' };
};

export const accountLook = (account: Account, isAway = false): StatusLook => {
  const { state, credentials, status } = account;
  const lifecycle = lifecycleLook[state];
  if (lifecycle) return lifecycle;
  if (status.isBusy) return { tone: 'run', word: 'Being changed' };
  if (credentials?.former) return { tone: 'run', word: 'Rotating' };
  if (status.drift === 'DRIFT') return { tone: 'warn', word: 'Differs from the cluster' };
  if ([...account.produceTopics, ...account.consumeTopics].some((topic) => topic.state === 'REQUESTED'))
    return { tone: 'idle', word: 'Waits for a team' };
  return isAway ? unknown : { tone: 'ok', word: 'Healthy' };
};
