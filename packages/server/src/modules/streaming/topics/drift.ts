/** Where a topic on the cluster differs from what is wanted: pure. */
import type { TopicDifference } from '@slipway/contract/streaming/topic-status.ts';
import type { ObservedTopic } from '#ports/streaming.ts';
import { compareSubject, difference, type Compared, type SeenSubject } from '../schemas/compare-subject.ts';
import { configsOf, isSameConfig, settingOf, type TopicSettings } from './topic-configs.ts';

export interface Seen {
  /** Undefined: the cluster has no such topic of ours. */
  readonly topic: ObservedTopic | undefined;
  /** Somebody else has made a topic of that name. */
  readonly isTaken: boolean;
  /** Copies that the cluster keeps of what is asked for. */
  readonly copies: number;
  readonly subjects: readonly SeenSubject[];
}
const compareConfigs = (wanted: TopicSettings, { topic, copies }: Seen & { readonly topic: ObservedTopic }): Compared => {
  const differences: TopicDifference[] = [];
  const same: { name: string; value: string }[] = [];
  const ours = configsOf(wanted, copies);
  for (const [name, value] of Object.entries(ours)) {
    const theirs = topic.configs[name];
    if (theirs !== undefined && isSameConfig(name, value, theirs)) same.push({ name, value });
    else differences.push(difference('CONFIG', name, value, theirs ?? null, theirs !== undefined && settingOf(name, theirs) ? 'ra' : 'r'));
  }
  // Set by somebody else: the platform has no setting of that name, so that it can only be taken back.
  for (const [name, theirs] of Object.entries(topic.configs)) {
    if (!Object.hasOwn(ours, name)) differences.push(difference('CONFIG', name, null, theirs, 'r'));
  }
  return { differences, same };
};

export const compareTopic = (wanted: TopicSettings, seen: Seen): Compared => {
  const { topic, isTaken, copies, subjects } = seen;
  if (!topic) {
    const missing = isTaken
      ? difference('MISSING', 'topic', 'there', "somebody else's", '')
      : difference('MISSING', 'topic', 'there', null, 'r');
    return { differences: [missing], same: [] };
  }
  const { differences, same } = compareConfigs(wanted, { ...seen, topic });
  const partitions = topic.partitions.length;
  if (partitions === wanted.partitions) same.push({ name: 'partitions', value: String(partitions) });
  else {
    const ways = partitions > wanted.partitions ? 'a' : 'r';
    differences.unshift(difference('PARTITIONS', 'partitions', String(wanted.partitions), String(partitions), ways));
  }
  // Replicas are moved by the cluster's operator alone.
  if (topic.replication === copies) same.push({ name: 'replicas', value: String(copies) });
  else differences.push(difference('REPLICATION', 'replicas', String(copies), String(topic.replication), ''));
  for (const one of subjects) compareSubject(one, { differences, same });
  return { differences, same };
};
