/** Fields that the forms of a new and of an existing browser monitor share. Origins are typed one per line. */
import { maxOrigins, retentionDays, type MonitorUpdate } from '@slipway/contract/monitoring/monitor.ts';
import * as z from 'zod/mini';
import type { FieldPath, FieldValues } from 'react-hook-form';
import { SelectField } from '#kit/form/ChoiceFields.tsx';
import { NumberInputField } from '#kit/form/NumberInputField.tsx';
import { TextareaField } from '#kit/form/TextField.tsx';
import type { ApiForm } from '#kit/form/use-api-form.ts';

export const monitorLabels = { allowedOrigins: 'Allowed origins', samplePercent: 'Sessions to keep', retentionDays: 'Keep data for' };

const linesOf = (text: string): string[] =>
  text
    .split(/[\s,]+/)
    .map((line) => line.toLowerCase())
    .filter((line) => line !== '');

const fields = {
  allowedOrigins: z.string().check(
    z.refine((text) => linesOf(text).length > 0, { error: 'Required' }),
    z.refine((text) => linesOf(text).length <= maxOrigins, { error: 'ExceedsMaximumLength' }),
  ),
  samplePercent: z.nullable(z.number()),
  retentionDays: z.string(),
};
export const MonitorValues = z.object(fields);
export type MonitorValues = z.output<typeof MonitorValues>;
/** The form's schema: the contract's name with the fields as they are typed. */
export const withLines = <Name extends z.ZodMiniType>(contract: { readonly shape: { readonly name: Name } }) =>
  z.object({ ...fields, name: contract.shape.name });
export const fromLines = ({ allowedOrigins, samplePercent, retentionDays: days }: MonitorValues): Required<MonitorUpdate> => ({
  allowedOrigins: linesOf(allowedOrigins),
  samplePercent: samplePercent ?? 0,
  retentionDays: retentionDays.find((one) => String(one) === days) ?? 30,
});

export function MonitorFields<Values extends FieldValues & MonitorValues>({ form }: { form: ApiForm<Values> }) {
  const name = (field: keyof MonitorValues) => field as FieldPath<Values>;
  return (
    <>
      <TextareaField
        form={form}
        name={name('allowedOrigins')}
        rows={3}
        hint="One per line, like https://plans.example.com or https://*.example.com. Browsers on other pages cannot send anything."
      />
      <NumberInputField form={form} name={name('samplePercent')} unit="%" min={1} max={100} hint="Whole sessions are kept or left out." />
      <SelectField
        form={form}
        name={name('retentionDays')}
        options={retentionDays.map((days) => ({ value: String(days), label: `${days} days` }))}
        hint="Applies to data that arrives from now on."
      />
    </>
  );
}
