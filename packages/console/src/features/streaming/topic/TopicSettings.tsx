/**
 * The settings of a topic, reviewed before they apply. Its schemas are only linked, because new versions are created on their own pages.
 */
import type { PlanNote } from '@slipway/contract/pipeline/plan.ts';
import { topicLabels, TopicDraft, topicUpdate, type Topic } from '@slipway/contract/streaming/topic.ts';
import { KeyValue } from '@slipway/ui/layout/KeyValue.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { Panel, PanelBody, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { useWatch } from 'react-hook-form';
import type * as z from 'zod/mini';
import { refresh } from '#entities/changes/refresh.ts';
import { paths } from '#entities/paths.ts';
import { toastRun } from '#entities/pipeline/index.ts';
import { ConfirmChanges } from '#entities/plan/ConfirmChanges.tsx';
import { usePlannedForm, type PlannedForm } from '#entities/plan/use-planned-form.ts';
import { useWrite } from '#kit/api/write.ts';
import { reasonOf } from '#kit/error/messages.ts';
import { PageForm } from '#kit/form/PageForm.tsx';
import { TextField } from '#kit/form/TextField.tsx';
import { UnsavedGuard } from '#kit/page/UnsavedGuard.tsx';
import { SettingsDiff, type SettingChange } from '#features/streaming/parts/SettingsDiff.tsx';
import { FieldsFor } from '#kit/form/FieldsFor.tsx';
import { TagsField, tagMessages } from '#features/streaming/topic-form/TagsField.tsx';
import { SizeEstimate } from '#features/streaming/topic-form/SizeEstimate.tsx';
import {
  KeepingFields,
  SharingFields,
  SpreadFields,
  topicFieldNames,
  type LeastClassification,
} from '#features/streaming/topic-form/TopicFields.tsx';
import type { TopicPlace } from '#features/streaming/use-place.ts';

type Values = z.input<typeof TopicDraft>;

/** Initial values. A pending or failed change is restored in the form. */
const settingsOf = ({ description, tags, spec, draft }: Topic): Values => {
  const { dataSecurityClassification, isSharable, partitionNumber, retentionHours, segmentBytes, cleanupPolicy } = spec;
  return (
    draft ?? {
      description,
      tags,
      spec: { dataSecurityClassification, isSharable, partitionNumber, retentionHours, segmentBytes, cleanupPolicy },
    }
  );
};

/** Maps a note to a changed setting. Undefined for other notes. */
const changeOf = ({ field, context: { before, after } }: PlanNote): SettingChange | undefined =>
  field === undefined || before === undefined || after === undefined
    ? undefined
    : { field, label: topicLabels[field] ?? field, before, after };

export interface TopicSettingsProps {
  place: TopicPlace;
  topic: Topic;
  team: string;
}

/** Resets the form to the applied settings after a change completes. */
export default function TopicSettings(props: TopicSettingsProps) {
  const applied = settingsOf(props.topic);
  return <SettingsForm key={JSON.stringify(applied)} {...props} applied={applied} />;
}

const useSettingsForm = ({ place, topic }: TopicSettingsProps, applied: Values): PlannedForm<Values> => {
  const update = useWrite(topicUpdate);
  return usePlannedForm({
    schema: TopicDraft,
    defaultValues: applied,
    labels: topicLabels,
    messages: tagMessages,
    send: (body, isDryRun) => update.send({ params: { ...place }, body, ...(isDryRun ? { query: { dryRun: 'true' } } : {}) }),
    onStarted: async (run) => {
      toastRun(`${topic.name} is being changed`, run);
      await refresh({ kind: 'topic', app: place.app, env: place.env });
    },
  });
};

/** If the user may not lower the classification, lower ones are disabled with the reason. */
const leastClassification = ({ spec, can }: Topic, team: string): LeastClassification | undefined => {
  const reason = reasonOf(can, 'lowerClassification', { team });
  return reason === undefined ? undefined : { classification: spec.dataSecurityClassification, reason };
};

function SettingsForm(props: TopicSettingsProps & { applied: Values }) {
  const { place, topic, team, applied } = props;
  const { form, plan, confirm, dismiss, isStarted } = useSettingsForm(props, applied);
  const { spec } = useWatch({ control: form.control });
  const reason = reasonOf(topic.can, 'update', { team });
  const kept = { ...topic.spec, ...spec };
  return (
    <>
      <PageForm
        form={form}
        label="Settings of the topic"
        hasGuard={false}
        submitLabel="Review changes"
        busyLabel="Looking"
        disabledReason={reason}
        cancelHref={paths.topic(place)}
        aside={
          <div className="stack stack-24">
            <Fixed topic={topic} />
            <SizeEstimate kept={kept} />
          </div>
        }
      >
        <FieldsFor legend="Settings" reason={reason}>
          <TextField form={form} name="description" />
          <TagsField form={form} name="tags" />
          <SharingFields form={form} names={topicFieldNames} env={place.env} least={leastClassification(topic, team)} />
          <SpreadFields form={form} names={topicFieldNames} least={topic.spec.partitionNumber} />
          <KeepingFields form={form} names={topicFieldNames} />
        </FieldsFor>
      </PageForm>
      <UnsavedGuard isDirty={form.isDirty} isReleased={() => reason !== undefined || isStarted()} />
      {plan && (
        <ConfirmChanges
          plan={{ ...plan, consequences: plan.consequences.filter((note) => changeOf(note) === undefined) }}
          title={`Change ${topic.name}?`}
          subject={topic.name}
          environment={place.env}
          confirmLabel={place.env === 'production' ? 'Apply to production' : 'Apply changes'}
          onConfirm={confirm}
          onClose={dismiss}
        >
          <SettingsDiff label="Changes" changes={plan.consequences.flatMap((note) => changeOf(note) ?? [])} />
        </ConfirmChanges>
      )}
    </>
  );
}

function Fixed({ topic: { topicName, spec, environmentClass } }: { topic: Topic }) {
  const schemaLink = (schema: Topic['spec']['valueSchema']) => (
    <Link href={paths.schema({ app: schema.applicationCode, env: environmentClass, schema: schema.name })}>{schema.name}</Link>
  );
  return (
    <Panel aria-labelledby="topic-stays">
      <PanelHead title="What stays" titleId="topic-stays" />
      <PanelBody className="stack stack-12">
        <KeyValue
          items={[
            { label: 'Name on the cluster', value: <code>{topicName}</code> },
            { label: 'Value schema', value: schemaLink(spec.valueSchema) },
            ...(spec.keySchema ? [{ label: 'Key schema', value: schemaLink(spec.keySchema) }] : []),
            { label: 'Replicas', value: spec.replicationFactor },
          ]}
        />
        <p className="dense">
          Keeping messages for a shorter time deletes those that are older, at once. More partitions send a key elsewhere from then on.
        </p>
      </PanelBody>
    </Panel>
  );
}
