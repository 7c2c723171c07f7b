/**
 * The fields of a new stream: topic name first, because the other names follow it, then schema and account. Settings with good defaults are
 * collapsed.
 */
import { topicDefaults } from '@slipway/contract/streaming/topic.ts';
import { Checkbox } from '@slipway/ui/form/Checkbox.tsx';
import { count } from '@slipway/ui/format/count.ts';
import type { ReactNode } from 'react';
import { useFormState } from 'react-hook-form';
import { paths } from '#entities/paths.ts';
import { NewForm } from '#entities/resource/NewPage.tsx';
import { NumberInputField } from '#kit/form/NumberInputField.tsx';
import { TextField } from '#kit/form/TextField.tsx';
import { BrokerAddress } from '#features/streaming/BrokerNotice.tsx';
import { Fold } from '#features/streaming/parts/Fold.tsx';
import { NameField } from '#features/streaming/parts/NameField.tsx';
import { keptLabel } from '#features/streaming/streaming-labels.ts';
import { SchemaChoice } from '#features/streaming/topic-form/SchemaFields.tsx';
import { KeepingFields, SharingFields, SpreadFields } from '#features/streaming/topic-form/TopicFields.tsx';
import type { EventsPlace } from '#features/streaming/use-place.ts';
import { AccountPart } from './AccountPart.tsx';
import { SchemaPart } from './SchemaPart.tsx';
import { StreamWays } from './StreamWays.tsx';
import { useFollowingNames, useStreamValues, type StreamForm } from './use-stream-form.ts';

const names = {
  classification: 'topic.spec.dataSecurityClassification',
  isSharable: 'topic.spec.isSharable',
  partitions: 'topic.spec.partitionNumber',
  retention: 'topic.spec.retentionHours',
  segmentBytes: 'topic.spec.segmentBytes',
  cleanupPolicy: 'topic.spec.cleanupPolicy',
} as const;

interface StreamFieldsProps {
  form: StreamForm;
  place: EventsPlace;
  reason: string | undefined;
  /** The preview of everything that will be created. */
  made: ReactNode;
}

export function StreamFields({ form, place, reason, made }: StreamFieldsProps) {
  useFollowingNames(form, place.app);
  return (
    <NewForm
      noun="stream"
      form={form}
      disabledReason={reason}
      cancelHref={paths.events(place)}
      aside={
        <div className="stack stack-24">
          {made}
          <BrokerAddress place={place} />
        </div>
      }
      ways={<StreamWays place={place} current="stream" />}
    >
      <NameField form={form} name="topic.name" of="topic" place={place} hint="Lowercase letters only. Schema and account follow it." />
      <TextField form={form} name="topic.description" placeholder="What a message means, and when it is sent" />
      <SchemaPart form={form} place={place} isReadOnly={reason !== undefined} />
      <AccountPart form={form} place={place} />
      <TopicSettings form={form} place={place} />
    </NewForm>
  );
}

function TopicSettings({ form, place }: { form: StreamForm; place: EventsPlace }) {
  const { spec } = useStreamValues(form).topic;
  const { errors } = useFormState({ control: form.control });
  const kept = { ...topicDefaults, ...spec };
  const hasKey = spec.keySchema !== null && spec.keySchema !== undefined;
  return (
    <Fold
      title="Settings of the topic"
      note={`${count(kept.partitionNumber, 'partition')} · kept ${keptLabel(kept)} · ${kept.dataSecurityClassification.toLowerCase()}`}
      hasError={errors.topic?.spec !== undefined && Object.keys(errors.topic.spec).some((field) => field !== 'valueSchema')}
    >
      <SharingFields form={form} names={names} env={place.env} />
      <SpreadFields form={form} names={names} />
      <Checkbox
        label="Messages have a key schema"
        checked={hasKey}
        onChange={() => form.setValue('topic.spec.keySchema', hasKey ? null : { resourceId: '', resourceType: 'SCHEMA' })}
      />
      {hasKey && (
        <SchemaChoice
          form={form}
          name="topic.spec.keySchema.resourceId"
          place={place}
          hint="Messages with the same key stay in order, in the same partition."
        />
      )}
      <NumberInputField form={form} name="topic.spec.replicationFactor" min={1} hint="Cannot be changed later." />
      <KeepingFields form={form} names={names} />
    </Fold>
  );
}
