/** Where a topic on the cluster differs from what is wanted: pure. */
import type { TopicDifference, TopicDrift } from '@slipway/contract/streaming/topic-status.ts';
import type { CompatibilityLevel } from '#ports/schema.ts';
import type { ObservedTopic } from '#ports/streaming.ts';
import { configsOf, isSameConfig, settingOf, type TopicSettings } from './topic-configs.ts';

export interface SeenSubject {
  readonly subject: string;
  /** The newest version there; undefined where the registry has none. */
  readonly version: number | undefined;
  /** The version that has the content that is wanted; undefined where none has. */
  readonly ours: number | undefined;
  readonly wantedLevel: CompatibilityLevel;
  /** Undefined where there is no version. */
  readonly level: CompatibilityLevel | undefined;
}
export interface Seen {
  /** Undefined: the cluster has no such topic of ours. */
  readonly topic: ObservedTopic | undefined;
  /** Somebody else has made a topic of that name. */
  readonly isTaken: boolean;
  /** Copies that the cluster keeps of what is asked for. */
  readonly copies: number;
  readonly subjects: readonly SeenSubject[];
}
type Compared = Pick<TopicDrift, 'differences' | 'same'>;

const difference = (
  kind: TopicDifference['kind'],
  name: string,
  ours: string | null,
  theirs: string | null,
  ways: string,
): TopicDifference => ({
  kind,
  name,
  ours,
  theirs,
  canRepair: ways.includes('r'),
  canAdopt: ways.includes('a'),
});

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

interface Found {
  readonly differences: TopicDifference[];
  readonly same: Compared['same'];
}
const compareSubject = ({ subject, version, ours, level, wantedLevel }: SeenSubject, { differences, same }: Found): void => {
  if (version !== undefined && version === ours) same.push({ name: subject, value: String(version) });
  // A version that somebody else registered above ours stays: whoever saves a new version here comes above it.
  else {
    const theirs = version === undefined ? null : String(version);
    differences.push(difference('SUBJECT', subject, 'newest', theirs, ours === undefined ? 'r' : ''));
  }
  if (level === undefined) return;
  const name = levelName(subject);
  if (level === wantedLevel) same.push({ name, value: level });
  else differences.push(difference('LEVEL', name, wantedLevel, level, 'r'));
};
/** How the difference in a subject's level is called, beside that in its version. */
export const levelName = (subject: string): string => `${subject} compatibility`;
