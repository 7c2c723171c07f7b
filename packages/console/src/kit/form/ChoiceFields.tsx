/** Choice controls bound to a form: a searchable combobox, a select, a switch, radio cards and checkboxes. */
import { Checkbox } from '@slipway/ui/form/Checkbox.tsx';
import { Combobox, type ComboboxProps } from '@slipway/ui/form/Combobox.tsx';
import { Field } from '@slipway/ui/form/Field.tsx';
import { RadioCards, type RadioCard } from '@slipway/ui/form/RadioCards.tsx';
import { Select, type SelectOption } from '@slipway/ui/form/Select.tsx';
import { Switch } from '@slipway/ui/form/Switch.tsx';
import { useController, type FieldValues } from 'react-hook-form';
import type { BoundField } from './TextField.tsx';

/** Focuses the first input of a control that consists of several elements. */
const focusFirstInput = (element: HTMLElement | null) =>
  element && { focus: () => element.querySelector<HTMLElement>('input:not(:disabled)')?.focus() };

export function ComboboxField<Values extends FieldValues>(
  props: BoundField<Values> &
    Pick<ComboboxProps, 'options' | 'searchLabel' | 'onSearch' | 'emptyText' | 'isLoading' | 'placeholder' | 'isMono'>,
) {
  const { form, name, hint, labelNote, ...rest } = props;
  const {
    field: { ref, value, onChange, onBlur },
    fieldState,
  } = useController({ control: form.control, name });
  return (
    <Field label={form.labels[name]} labelNote={labelNote} hint={hint} error={fieldState.error?.message}>
      <Combobox {...rest} ref={ref} name={name} value={value || null} onChange={(next) => onChange(next ?? '')} onBlur={onBlur} />
    </Field>
  );
}

export function SelectField<Values extends FieldValues>(props: BoundField<Values> & { options: SelectOption[]; placeholder?: string }) {
  const { form, name, hint, labelNote, options, placeholder } = props;
  const {
    field: { ref, value, onChange, onBlur },
    fieldState,
  } = useController({ control: form.control, name });
  return (
    <Field label={form.labels[name]} labelNote={labelNote} hint={hint} error={fieldState.error?.message}>
      <Select ref={ref} name={name} options={options} value={value || null} onChange={onChange} onBlur={onBlur} placeholder={placeholder} />
    </Field>
  );
}

/** A switch; `onLabel` says what "on" means. */
export function SwitchField<Values extends FieldValues>(props: BoundField<Values> & { onLabel: string }) {
  const { form, name, hint, labelNote, onLabel } = props;
  const {
    field: { ref, value, onChange, onBlur },
    fieldState,
  } = useController({ control: form.control, name });
  return (
    <Field label={form.labels[name]} labelNote={labelNote} hint={hint} error={fieldState.error?.message} isGroup>
      <Switch
        ref={ref}
        name={name}
        label={onLabel}
        checked={value === true}
        onChange={(event) => onChange(event.target.checked)}
        onBlur={onBlur}
      />
    </Field>
  );
}

export function RadioCardsField<Values extends FieldValues>(props: BoundField<Values> & { options: RadioCard<string>[] }) {
  const { form, name, options } = props;
  const { field, fieldState } = useController({ control: form.control, name });
  return (
    <div ref={(element) => field.ref(focusFirstInput(element))}>
      <RadioCards
        legend={form.labels[name]}
        options={options}
        value={field.value || null}
        onChange={field.onChange}
        onBlur={field.onBlur}
        error={fieldState.error?.message}
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
  const { form, name, options, hint, labelNote } = props;
  const { field, fieldState } = useController({ control: form.control, name });
  const chosen: readonly string[] = field.value ?? [];
  const toggle = (value: string): void =>
    field.onChange(chosen.includes(value) ? chosen.filter((item) => item !== value) : [...chosen, value]);
  return (
    <div ref={(element) => field.ref(focusFirstInput(element))}>
      <Field label={form.labels[name]} labelNote={labelNote} hint={hint} error={fieldState.error?.message} isGroup>
        {options.map(({ value, label, note, disabledReason }) => (
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
