/** Settings of a topic for creation and later changes: partitions, retention, and sharing. */
import {
  classificationLabels,
  cleanupPolicies,
  dataClassifications,
  isReadFree,
  type DataClassification,
} from '@slipway/contract/streaming/streaming.ts';
import { isLowered, topicLimits } from '@slipway/contract/streaming/topic.ts';
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import { Field } from '@slipway/ui/form/Field.tsx';
import { Select } from '@slipway/ui/form/Select.tsx';
import { bytes } from '@slipway/ui/format/bytes.ts';
import { count } from '@slipway/ui/format/count.ts';
import { useController, useWatch, type FieldPath, type FieldValues } from 'react-hook-form';
import { SelectField, SwitchField } from '#kit/form/ChoiceFields.tsx';
import { NumberInputField } from '#kit/form/NumberInputField.tsx';
import type { ApiForm } from '#kit/form/use-api-form.ts';
import { cleanupLabels, hoursLabel } from '#features/streaming/streaming-labels.ts';

/** Field names shared by the forms for a new topic and for its settings. */
export const topicFieldNames = {
  classification: 'spec.dataSecurityClassification',
  isSharable: 'spec.isSharable',
  partitions: 'spec.partitionNumber',
  retention: 'spec.retentionHours',
  segmentBytes: 'spec.segmentBytes',
  cleanupPolicy: 'spec.cleanupPolicy',
} as const;
export type TopicFieldNames<Values extends FieldValues> = Readonly<Record<keyof typeof topicFieldNames, FieldPath<Values>>>;

interface TopicFieldsProps<Values extends FieldValues> {
  form: ApiForm<Values>;
  names: TopicFieldNames<Values>;
}

/** Explains what others may do without a request, according to the sharing rule. */
const sharingHint = (env: Environment, classification: DataClassification, isSharable: boolean): string => {
  if (!isSharable) return 'Only accounts of your own team may use it.';
  const label = classificationLabels[classification];
  return isReadFree(env, classification)
    ? `In development any app may read ${label === 'Internal' ? 'an Internal' : `a ${label}`} topic at once. Writing, and all of production, needs your approval.`
    : 'Reading and writing need your approval.';
};

/** Lower classifications are disabled, for this reason. */
export interface LeastClassification {
  classification: DataClassification;
  reason: string;
}
interface SharingProps<Values extends FieldValues> extends TopicFieldsProps<Values> {
  env: Environment;
  least?: LeastClassification | undefined;
}

export function SharingFields<Values extends FieldValues>({ form, names, env, least }: SharingProps<Values>) {
  const [classification, isSharable] = useWatch({ control: form.control, name: [names.classification, names.isSharable] }) as [
    DataClassification,
    boolean,
  ];
  return (
    <div className="stack stack-8">
      <div className="pair">
        <SelectField
          form={form}
          name={names.classification}
          options={dataClassifications.map((value) => ({
            value,
            label: classificationLabels[value],
            ...(least && isLowered(least.classification, value) ? { disabledReason: least.reason } : {}),
          }))}
        />
        <SwitchField form={form} name={names.isSharable} onLabel="Other apps may ask" />
      </div>
      <p className="meta">{sharingHint(env, classification, isSharable)}</p>
    </div>
  );
}

export function SpreadFields<Values extends FieldValues>({ form, names, least = 1 }: TopicFieldsProps<Values> & { least?: number }) {
  const [partitions, hours] = useWatch({ control: form.control, name: [names.partitions, names.retention] }) as [
    number | null,
    number | null,
  ];
  return (
    <div className="pair">
      <NumberInputField
        form={form}
        name={names.partitions}
        min={least}
        max={topicLimits.partitionNumber.max}
        hint={`Up to ${count(partitions ?? 1, 'client')} of one reader at a time. Can grow later, never shrink; growing moves keys.`}
      />
      <NumberInputField
        form={form}
        name={names.retention}
        unit="hours"
        min={topicLimits.retentionHours.min}
        max={topicLimits.retentionHours.max}
        hint={hours === null || hours < 48 ? 'Messages that are older are deleted.' : `${hours} hours = ${hoursLabel(hours)}.`}
      />
    </div>
  );
}

const gigabyte = 1024 ** 3;
const segmentSizes = [gigabyte / 16, gigabyte / 4, gigabyte, 2 * gigabyte - 1];

/** A custom segment size stays available as an option. */
export function KeepingFields<Values extends FieldValues>({ form, names }: TopicFieldsProps<Values>) {
  const segmentBytes: number = useWatch({ control: form.control, name: names.segmentBytes });
  const sizes = [...new Set([...segmentSizes, segmentBytes])].toSorted((a, b) => a - b);
  return (
    <div className="stack stack-24">
      <SelectField
        form={form}
        name={names.cleanupPolicy}
        options={cleanupPolicies.map((value) => ({ value, label: cleanupLabels[value] }))}
        hint="To keep the newest message of each key, every message needs one: give the topic a key schema."
      />
      <SegmentField form={form} name={names.segmentBytes} sizes={sizes} />
    </div>
  );
}

function SegmentField<Values extends FieldValues>(props: { form: ApiForm<Values>; name: FieldPath<Values>; sizes: readonly number[] }) {
  const { form, name, sizes } = props;
  const {
    field: { ref, value: chosen, onChange, onBlur },
    fieldState,
  } = useController({ control: form.control, name });
  return (
    <Field label={form.labels[name]} error={fieldState.error?.message} hint="Messages are deleted a whole segment at a time.">
      <Select
        ref={ref}
        name={name}
        options={sizes.map((size) => ({ value: String(size), label: bytes(size) }))}
        value={String(chosen)}
        onChange={(value) => onChange(Number(value))}
        onBlur={onBlur}
      />
    </Field>
  );
}
