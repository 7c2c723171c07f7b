/** Choice controls bound to a form: a searchable combobox, a select, a switch, radio cards and checkboxes. */
import { Checkbox } from '@slipway/ui/form/Checkbox.tsx';
import { Combobox, type ComboboxProps } from '@slipway/ui/form/Combobox.tsx';
import { Field } from '@slipway/ui/form/Field.tsx';
import { RadioCards, type RadioCard } from '@slipway/ui/form/RadioCards.tsx';
import { Select, type SelectOption } from '@slipway/ui/form/Select.tsx';
import { Switch } from '@slipway/ui/form/Switch.tsx';
import type { FieldValues } from 'react-hook-form';
import { useBound, type BoundField } from './bound-field.ts';

/** Focuses the first input of a control that consists of several elements. */
const focusFirstInput = (element: HTMLElement | null) =>
  element && { focus: () => element.querySelector<HTMLElement>('input:not(:disabled)')?.focus() };

export function ComboboxField<Values extends FieldValues>(
  props: BoundField<Values> &
    Pick<ComboboxProps, 'options' | 'searchLabel' | 'onSearch' | 'emptyText' | 'isLoading' | 'placeholder' | 'isMono'>,
) {
  const { form, name, hint, labelNote, ...rest } = props;
  const { field, frame } = useBound({ form, name, hint, labelNote });
  return (
    <Field {...frame}>
      <Combobox {...rest} {...field} value={field.value || null} onChange={(next) => field.onChange(next ?? '')} />
    </Field>
  );
}

export function SelectField<Values extends FieldValues>(props: BoundField<Values> & { options: SelectOption[]; placeholder?: string }) {
  const { options, placeholder } = props;
  const { field, frame } = useBound(props);
  return (
    <Field {...frame}>
      <Select {...field} options={options} value={field.value || null} placeholder={placeholder} />
    </Field>
  );
}

/** A switch; `onLabel` says what "on" means. */
export function SwitchField<Values extends FieldValues>(props: BoundField<Values> & { onLabel: string }) {
  const { field, frame } = useBound(props);
  const { value, ...control } = field;
  return (
    <Field {...frame} isGroup>
      <Switch {...control} label={props.onLabel} checked={value === true} onChange={(event) => control.onChange(event.target.checked)} />
    </Field>
  );
}

export function RadioCardsField<Values extends FieldValues>(props: BoundField<Values> & { options: RadioCard<string>[] }) {
  const { field, frame } = useBound(props);
  return (
    <div ref={(element) => field.ref(focusFirstInput(element))}>
      <RadioCards
        legend={frame.label}
        options={props.options}
        value={field.value || null}
        onChange={field.onChange}
        onBlur={field.onBlur}
        error={frame.error}
      />
    </div>
  );
}

export interface CheckboxOption {
  value: string;
  label: string;
  /** Muted text at the end of the line. */
  note?: string;
  disabledReason?: string;
}

export function CheckboxesField<Values extends FieldValues>(props: BoundField<Values> & { options: readonly CheckboxOption[] }) {
  const { field, frame } = useBound(props);
  const chosen: readonly string[] = field.value ?? [];
  const toggle = (value: string): void =>
    field.onChange(chosen.includes(value) ? chosen.filter((item) => item !== value) : [...chosen, value]);
  return (
    <div ref={(element) => field.ref(focusFirstInput(element))}>
      <Field {...frame} isGroup>
        {props.options.map(({ value, label, note, disabledReason }) => (
          <Checkbox
            key={value}
            checked={chosen.includes(value)}
            disabled={disabledReason !== undefined}
            label={disabledReason === undefined ? label : `${label} – ${disabledReason}`}
            count={note}
            onChange={() => toggle(value)}
            onBlur={field.onBlur}
          />
        ))}
      </Field>
    </div>
  );
}
