/** A value of a form in a field. */
import type { FieldProps } from '@slipway/ui/form/Field.tsx';
import { useController, type FieldPath, type FieldValues } from 'react-hook-form';
import type { ApiForm } from './use-api-form.ts';

export interface BoundField<Values extends FieldValues> extends Pick<FieldProps, 'hint' | 'labelNote'> {
  form: ApiForm<Values>;
  name: FieldPath<Values>;
}

/** Returns the control's props, and those of the field around it. */
export const useBound = <Values extends FieldValues>({ form, name, hint, labelNote }: BoundField<Values>) => {
  const { field, fieldState } = useController({ control: form.control, name });
  return { field, frame: { label: form.labels[name], labelNote, hint, error: fieldState.error?.message } };
};
