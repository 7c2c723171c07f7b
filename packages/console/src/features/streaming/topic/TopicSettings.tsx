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
import { paths } from '#entities/paths.ts';
import { PlannedSettings } from '#entities/plan/PlannedSettings.tsx';
import { reasonOf } from '#kit/error/messages.ts';
import { TextField } from '#kit/form/TextField.tsx';
import type { ApiForm } from '#kit/form/use-api-form.ts';
import { SettingsDiff, type SettingChange } from '#features/streaming/parts/SettingsDiff.tsx';
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

export default function TopicSettings({ place, topic, team }: TopicSettingsProps) {
  return (
    <PlannedSettings
      noun="topic"
      title={topic.name}
      name={topic.name}
      environment={place.env}
      route={topicUpdate}
      schema={TopicDraft}
      labels={topicLabels}
      messages={tagMessages}
      inputOf={(body) => ({ params: { ...place }, body })}
      hint={{ kind: 'topic', app: place.app, env: place.env }}
      applied={settingsOf(topic)}
      reason={reasonOf(topic.can, 'update', { team })}
      cancelHref={paths.topic(place)}
      aside={(form) => <Aside form={form} topic={topic} />}
      shownOf={(plan) => ({
        plan: { ...plan, consequences: plan.consequences.filter((note) => changeOf(note) === undefined) },
        before: <SettingsDiff label="Changes" changes={plan.consequences.flatMap((note) => changeOf(note) ?? [])} />,
      })}
    >
      {(form) => <Fields form={form} place={place} topic={topic} team={team} />}
    </PlannedSettings>
  );
}

/** If the user may not lower the classification, lower ones are disabled with the reason. */
const leastClassification = ({ spec, can }: Topic, team: string): LeastClassification | undefined => {
  const reason = reasonOf(can, 'lowerClassification', { team });
  return reason === undefined ? undefined : { classification: spec.dataSecurityClassification, reason };
};

function Fields({ form, place, topic, team }: TopicSettingsProps & { form: ApiForm<Values> }) {
  return (
    <>
      <TextField form={form} name="description" />
      <TagsField form={form} name="tags" />
      <SharingFields form={form} names={topicFieldNames} env={place.env} least={leastClassification(topic, team)} />
      <SpreadFields form={form} names={topicFieldNames} least={topic.spec.partitionNumber} />
      <KeepingFields form={form} names={topicFieldNames} />
    </>
  );
}

function Aside({ form, topic }: { form: ApiForm<Values>; topic: Topic }) {
  const { spec } = useWatch({ control: form.control });
  return (
    <div className="stack stack-24">
      <Fixed topic={topic} />
      <SizeEstimate kept={{ ...topic.spec, ...spec }} />
    </div>
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
