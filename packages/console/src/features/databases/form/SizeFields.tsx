/** Fields for a database's size: plan, storage step, connections and backup retention. */
import {
  databaseLimits,
  databasePlanFacts,
  databasePlans,
  storageLadder,
  type DatabasePlan,
} from '@slipway/contract/database/database-plan.ts';
import { Field } from '@slipway/ui/form/Field.tsx';
import { Segmented } from '@slipway/ui/form/Segmented.tsx';
import { useState } from 'react';
import { useController, useWatch, type FieldPath, type FieldValues } from 'react-hook-form';
import { RadioCardsField } from '#kit/form/ChoiceFields.tsx';
import { NumberInputField } from '#kit/form/NumberInputField.tsx';
import type { ApiForm } from '#kit/form/use-api-form.ts';
import { planSize, storageLabel } from '#features/databases/database-labels.ts';
import css from './SizeFields.module.css';

export interface SizeValues {
  plan: DatabasePlan;
  storageGb: number;
  maxConnections: number;
  backupRetentionDays: number;
}

interface SizeFieldsProps<Values extends FieldValues & SizeValues> {
  form: ApiForm<Values>;
  /** Paths of these fields in the form. */
  names: Readonly<Record<keyof SizeValues, FieldPath<Values>>>;
  /** Current storage. Storage can only grow. */
  leastStorageGb?: number;
  /** Connections that the server has left. Undefined if not loaded; the server then reports an error at the field. */
  mostConnections?: number | undefined;
}

const cards = databasePlans.map((plan) => ({
  value: plan,
  label: databasePlanFacts[plan].label,
  note: `${plan} · ${planSize(plan)}, up to ${databasePlanFacts[plan].easyConnections.toLocaleString('en')} connections`,
}));

export function SizeFields<Values extends FieldValues & SizeValues>({
  form,
  names,
  leastStorageGb,
  mostConnections,
}: SizeFieldsProps<Values>) {
  const plan: DatabasePlan = useWatch({ control: form.control, name: names.plan });
  const { maxConnections, backupRetentionDays } = databaseLimits;
  return (
    <>
      <RadioCardsField form={form} name={names.plan} options={cards} />
      <StorageField form={form} name={names.storageGb} leastStorageGb={leastStorageGb ?? databaseLimits.storageGb.min} />
      <div className="pair">
        <NumberInputField
          form={form}
          name={names.maxConnections}
          min={maxConnections.min}
          max={maxConnections.max}
          hint={`${maxConnections.min} to ${Math.min(maxConnections.max, mostConnections ?? maxConnections.max)}${mostConnections === undefined ? '' : ', which the server has left'}. ${plan} is at ease up to ${databasePlanFacts[plan].easyConnections}.`}
        />
        <NumberInputField
          form={form}
          name={names.backupRetentionDays}
          unit="days"
          min={backupRetentionDays.min}
          max={backupRetentionDays.max}
          hint={`${backupRetentionDays.min} to ${backupRetentionDays.max}. One is made every night.`}
        />
      </div>
    </>
  );
}

/** Steps shown before the user asks for larger ones. */
const usualSteps = 6;

interface StorageFieldProps<Values extends FieldValues> {
  form: ApiForm<Values>;
  name: FieldPath<Values>;
  leastStorageGb: number;
}

function StorageField<Values extends FieldValues>({ form, name, leastStorageGb }: StorageFieldProps<Values>) {
  const { field, fieldState } = useController({ control: form.control, name });
  const chosen: number = field.value;
  const [isLarge, setLarge] = useState(false);
  const label = form.labels[name] ?? 'Storage';
  const last = Math.max(usualSteps, storageLadder.indexOf(leastStorageGb) + 2, storageLadder.indexOf(chosen) + 1);
  const steps = isLarge ? storageLadder : storageLadder.slice(0, last);
  const isGrowing = leastStorageGb > databaseLimits.storageGb.min;
  return (
    <div ref={(element) => field.ref(element && { focus: () => element.querySelector<HTMLElement>('input:checked')?.focus() })}>
      <Field
        label={label}
        labelNote="GB"
        isGroup
        error={fieldState.error?.message}
        hint={
          isGrowing
            ? `It has ${storageLabel(leastStorageGb)}. Smaller steps are closed: storage only grows.`
            : 'Each step doubles. It can grow while running, and never shrinks.'
        }
      >
        <div className={css.ladder}>
          <Segmented
            label={`${label} in GB`}
            value={String(chosen)}
            onChange={(value) => field.onChange(Number(value))}
            options={steps.map((step) => ({ value: String(step), label: String(step), isDisabled: step < leastStorageGb }))}
          />
          {steps.length < storageLadder.length && (
            <button type="button" className={css.larger} onClick={() => setLarge(true)}>
              Larger
            </button>
          )}
        </div>
      </Field>
    </div>
  );
}
