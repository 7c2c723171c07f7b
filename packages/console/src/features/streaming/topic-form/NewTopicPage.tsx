/** Creates a topic: name on the cluster, schemas, partitions and retention, with a list of what will be created. */
import { topicDefaults } from '@slipway/contract/streaming/topic.ts';
import { bytes } from '@slipway/ui/format/bytes.ts';
import { count } from '@slipway/ui/format/count.ts';
import { useFormState, useWatch } from 'react-hook-form';
import { paths } from '#entities/paths.ts';
import { NewForm, NewPage } from '#entities/resource/NewPage.tsx';
import { NumberInputField } from '#kit/form/NumberInputField.tsx';
import { TextField } from '#kit/form/TextField.tsx';
import { useUrlState } from '#kit/state/url-state.ts';
import { cleanupLabels } from '#features/streaming/streaming-labels.ts';
import { AwayNotice, BrokerAddress } from '#features/streaming/BrokerNotice.tsx';
import { Fold } from '#features/streaming/parts/Fold.tsx';
import { NameField } from '#features/streaming/parts/NameField.tsx';
import { StreamWays } from '#features/streaming/stream-form/StreamWays.tsx';
import { useStreamingInfo, type EventsPlace } from '#features/streaming/use-place.ts';
import { useNewTopicForm } from './new-topic-form.ts';
import { SchemaFields } from './SchemaFields.tsx';
import { SizeEstimate } from './SizeEstimate.tsx';
import { TagsField } from './TagsField.tsx';
import { KeepingFields, SharingFields, SpreadFields, topicFieldNames } from './TopicFields.tsx';
import { WillBeMade } from './WillBeMade.tsx';

/** `?valueSchema=`: the preselected schema. */
const defaults = { valueSchema: '' };

export function Component() {
  const { state } = useUrlState(defaults);
  return (
    <NewPage title="New topic" lede="Ready for any Kafka client in a few seconds." hrefOf={paths.newTopic} Notices={AwayNotice}>
      {(place, reason) => <NewTopic place={place} reason={reason} valueSchema={state.valueSchema} />}
    </NewPage>
  );
}

function NewTopic({ place, reason, valueSchema }: { place: EventsPlace; reason: string | undefined; valueSchema: string }) {
  const form = useNewTopicForm(place, valueSchema);
  const info = useStreamingInfo(place);
  const { name, spec } = useWatch({ control: form.control });
  const { errors } = useFormState({ control: form.control });
  const kept = {
    partitionNumber: spec?.partitionNumber ?? 1,
    retentionHours: spec?.retentionHours ?? 1,
    replicationFactor: spec?.replicationFactor ?? 1,
    segmentBytes: spec?.segmentBytes ?? topicDefaults.segmentBytes,
    cleanupPolicy: spec?.cleanupPolicy ?? topicDefaults.cleanupPolicy,
  };
  return (
    <NewForm
      noun="topic"
      form={form}
      disabledReason={reason}
      cancelHref={paths.events(place)}
      aside={
        <div className="stack stack-24">
          <WillBeMade
            app={place.app}
            name={name ?? ''}
            kept={kept}
            hasKey={spec?.keySchema !== null && spec?.keySchema !== undefined}
            maxReplication={info.data?.cluster.maxReplication ?? null}
          />
          <SizeEstimate kept={kept} />
          <BrokerAddress place={place} />
        </div>
      }
      ways={<StreamWays place={place} current="topic" />}
    >
      <NameField form={form} name="name" of="topic" place={place} hint="Lowercase letters only. Cannot be changed later." />
      <TextField form={form} name="description" placeholder="What a message means, and when it is sent" />
      <TagsField form={form} name="tags" />
      <SharingFields form={form} names={topicFieldNames} env={place.env} />
      <SchemaFields form={form} place={place} />
      <SpreadFields form={form} names={topicFieldNames} />
      <Fold
        title="More settings"
        note={`${count(kept.replicationFactor, 'replica')} · ${bytes(kept.segmentBytes)} segments · ${cleanupLabels[kept.cleanupPolicy].toLowerCase()}`}
        hasError={Boolean(errors.spec?.replicationFactor ?? errors.spec?.cleanupPolicy ?? errors.spec?.segmentBytes)}
      >
        <NumberInputField form={form} name="spec.replicationFactor" min={1} hint="Cannot be changed later." />
        <KeepingFields form={form} names={topicFieldNames} />
      </Fold>
    </NewForm>
  );
}
