/** Compares a topic on the cluster with its wanted state. Pure. */
import type { TopicDifference } from '@slipway/contract/streaming/topic-status.ts';
import type { ObservedTopic } from '#ports/streaming.ts';
import { compareSubject, difference, type Compared, type SeenSubject } from '../schemas/compare-subject.ts';
import { configsOf, isSameConfig, settingOf, type TopicSettings } from './topic-configs.ts';

export interface Seen {
  /** Undefined if the cluster has no topic of ours with this name. */
  readonly topic: ObservedTopic | undefined;
  /** Someone else has created a topic with this name. */
  readonly isTaken: boolean;
  /** Number of replicas that the cluster actually keeps. */
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
  // Set by someone else. The platform has no setting with this name, so it can only be reset.
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
  // Only the cluster's operator can change the number of replicas.
  if (topic.replication === copies) same.push({ name: 'replicas', value: String(copies) });
  else differences.push(difference('REPLICATION', 'replicas', String(copies), String(topic.replication), ''));
  for (const one of subjects) compareSubject(one, { differences, same });
  return { differences, same };
};
