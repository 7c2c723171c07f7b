/** Items that a stream creates, with their names: a preview first, then the progress of the pipeline's steps. */
import { isActive, type PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { schemaTypeLabels } from '@slipway/contract/streaming/schema.ts';
import { physicalName } from '@slipway/contract/streaming/streaming.ts';
import { topicDefaults } from '@slipway/contract/streaming/topic.ts';
import { count } from '@slipway/ui/format/count.ts';
import type { StepState } from '@slipway/ui/figures/Steps.tsx';
import { stateOfSteps } from '#entities/pipeline/steps-state.ts';
import { keptLabel } from '#features/streaming/streaming-labels.ts';
import type { StreamValues } from './use-stream-form.ts';

export type StreamPartName = 'schema' | 'topic' | 'account' | 'group';
export interface StreamPart {
  readonly key: StreamPartName;
  readonly label: string;
  readonly value: string;
  readonly note: string;
}
const partSteps: Readonly<Record<StreamPartName, readonly string[]>> = {
  schema: ['ValidateSchema', 'RegisterSchema', 'WaitForSchemaCreation'],
  topic: ['CheckTopic', 'RegisterTopicSchemas', 'CreateKafkaTopic', 'WaitForTopicCreation'],
  account: ['ApplyAccessRules', 'CreateClusterUser', 'WaitForCredentialsCreation'],
  group: ['HandOverPassword'],
};

const mayWords = (operations: readonly string[]): string => {
  const may = [...(operations.includes('WRITE') ? ['write'] : []), ...(operations.includes('READ') ? ['read'] : [])];
  return may.length === 0 ? 'May do nothing yet' : `May ${may.join(' and ')} this topic`;
};

export const streamPlan = (app: string, { schema, topic, account }: StreamValues): StreamPart[] => {
  const named = (name: string): string => physicalName(app, name === '' ? '…' : name);
  const spec = { ...topicDefaults, ...topic.spec };
  const may = mayWords(account?.operations ?? []);
  return [
    ...(schema
      ? [
          {
            key: 'schema' as const,
            label: 'Schema',
            value: named(schema.name),
            note: `Version 1, ${schemaTypeLabels[schema.type ?? 'AVRO']}, for ${named(topic.name)}-value`,
          },
        ]
      : []),
    {
      key: 'topic',
      label: 'Topic',
      value: named(topic.name),
      note: `${count(spec.partitionNumber, 'partition')}, ${count(spec.replicationFactor, 'replica')}, kept ${keptLabel(spec)}`,
    },
    ...(account
      ? [
          {
            key: 'account' as const,
            label: account.isNew === false ? 'Account, there already' : 'Account',
            value: named(account.name),
            note: account.isNew === false ? may : `${may}, nothing else`,
          },
        ]
      : []),
    ...(account?.secretGroup === undefined
      ? []
      : [{ key: 'group' as const, label: 'Secret group', value: account.secretGroup, note: 'All that a client needs, with the password' }]),
  ];
};

/** Returns the progress of a part. */
export const partState = (run: Pick<PipelineRun, 'status'>, part: StreamPartName): StepState =>
  stateOfSteps(
    // For an existing account, only the rules have anything to do.
    run.status.steps.filter(({ code, state, startedAt }) => partSteps[part].includes(code) && !(state === 'SKIPPED' && startedAt !== null)),
    !isActive(run.status.state),
  );
