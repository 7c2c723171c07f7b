/** Plan notes for dry runs of topic writes. */
import type { PlanNote } from '@slipway/contract/pipeline/plan.ts';
import { physicalName } from '@slipway/contract/streaming/streaming.ts';
import { topicLabels, type Topic, type TopicCreate, type TopicDraft } from '@slipway/contract/streaming/topic.ts';
import { note } from '#modules/pipelines/index.ts';
import type { PlanParts } from '#modules/resources/index.ts';

const few = (effective: number, wanted: number): PlanNote[] =>
  effective < wanted ? [note('FewerReplicas', { effective: String(effective), wanted: String(wanted) })] : [];

export const updateOf = ({ description, tags, spec }: Topic): TopicDraft => {
  const { dataSecurityClassification, isSharable, partitionNumber, retentionHours, segmentBytes, cleanupPolicy } = spec;
  return {
    description,
    tags,
    spec: { dataSecurityClassification, isSharable, partitionNumber, retentionHours, segmentBytes, cleanupPolicy },
  };
};

interface Field {
  readonly field: string;
  readonly before: string;
  readonly after: string;
}
/** Flattens settings to texts. */
export const flat = ({ description, tags, spec }: TopicDraft): ReadonlyMap<string, string> =>
  new Map([
    ['description', description],
    ['tags', tags.join(', ')],
    ...Object.entries(spec).map(([name, value]): [string, string] => [`spec.${name}`, String(value)]),
  ]);
export const differences = (before: TopicDraft, after: TopicDraft): Field[] => {
  const wanted = flat(after);
  return [...flat(before)].flatMap(([field, was]) => {
    const becomes = wanted.get(field) ?? '';
    return was === becomes ? [] : [{ field, before: was, after: becomes }];
  });
};

/** `copies` returns the number of replicas that the cluster actually keeps. */
export const topicPlan = (copies: (wanted: number) => number) => ({
  create: ({ names: { app = '' }, wanted }: { names: Readonly<Record<string, string>>; wanted: TopicCreate }): PlanParts => {
    const { spec, name } = wanted;
    const topic = physicalName(app, name);
    const made = {
      topic,
      partitions: String(spec.partitionNumber),
      replicas: String(spec.replicationFactor),
      hours: String(spec.retentionHours),
    };
    return {
      consequences: [
        note('MakesTopic', made),
        ...(spec.keySchema ? [note('RegistersVersion', { subject: `${topic}-key` })] : []),
        note('RegistersVersion', { subject: `${topic}-value` }),
      ],
      warnings: few(copies(spec.replicationFactor), spec.replicationFactor),
    };
  },
  update: (before: Topic, wanted: TopicDraft): PlanParts => {
    const old = updateOf(before);
    const hours = { before: String(old.spec.retentionHours), after: String(wanted.spec.retentionHours) };
    const partitions = { before: String(old.spec.partitionNumber), after: String(wanted.spec.partitionNumber) };
    const isFewer = wanted.spec.retentionHours < old.spec.retentionHours && wanted.spec.cleanupPolicy !== 'COMPACT';
    const isMore = wanted.spec.partitionNumber > old.spec.partitionNumber;
    const isCompacted = old.spec.cleanupPolicy === 'DELETE' && wanted.spec.cleanupPolicy !== 'DELETE';
    return {
      consequences: differences(old, wanted).map(({ field, ...context }) => ({
        ...(field === 'spec.partitionNumber'
          ? note('AddsPartitions', context)
          : note('ChangesSetting', { label: topicLabels[field] ?? field, ...context })),
        field,
      })),
      warnings: [
        ...(isFewer ? [{ ...note('MessagesGo', hours), field: 'spec.retentionHours' }] : []),
        ...(isMore ? [{ ...note('KeysMove', partitions), field: 'spec.partitionNumber' }] : []),
        ...(isCompacted ? [{ ...note('CompactsNow'), field: 'spec.cleanupPolicy' }] : []),
      ],
      skips: isMore ? [] : ['AddPartitions'],
    };
  },
  remove: ({ topicName }: Topic): PlanParts => ({ consequences: [note('DeletesTopic', { topic: topicName })] }),
});
