/** Single settings bound to the form by path. Label, unit and limits come from the contract. */
import { settingsFieldOf } from '@slipway/contract/service/service-settings.ts';
import { Field } from '@slipway/ui/form/Field.tsx';
import { Input, type InputProps } from '@slipway/ui/form/Input.tsx';
import { NumberField, type NumberFieldProps } from '@slipway/ui/form/NumberField.tsx';
import { RadioCards, type RadioCard } from '@slipway/ui/form/RadioCards.tsx';
import { Segmented } from '@slipway/ui/form/Segmented.tsx';
import { Select } from '@slipway/ui/form/Select.tsx';
import { Switch } from '@slipway/ui/form/Switch.tsx';
import type { ReactNode } from 'react';
import { choiceLabels } from '#entities/plan/setting-labels.ts';
import { fieldId, useSettingField, type SettingField } from '#features/services/settings/settings-context.ts';

interface SettingProps {
  path: string;
  hint?: ReactNode;
  labelNote?: ReactNode;
  /** Overrides the contract's label. */
  label?: string;
}

/** Maps a setting to the props of a `Field`. */
export const fieldProps = (
  field: Omit<SettingField<unknown>, 'value' | 'set'>,
  { hint, labelNote, label }: Omit<SettingProps, 'path'>,
) => ({
  id: field.id,
  label: label ?? field.label,
  hint,
  labelNote,
  error: field.error,
  was: field.was,
  onPutBack: field.was === undefined || field.isLocked ? undefined : field.putBack,
});

type TextSettingProps = SettingProps &
  Pick<InputProps, 'isMono' | 'placeholder' | 'lead' | 'unit' | 'inputMode'> & {
    /** Empty text becomes null. */
    isNullable?: boolean;
    normalise?: (text: string) => string;
  };
export function TextSetting(props: TextSettingProps) {
  const { path, hint, labelNote, label, isNullable = false, normalise = (text) => text, ...rest } = props;
  const field = useSettingField<string | null>(path);
  return (
    <Field {...fieldProps(field, { hint, labelNote, label })}>
      <Input
        {...rest}
        spellCheck={false}
        readOnly={field.isLocked}
        value={field.value ?? ''}
        onChange={({ target }) => field.set(isNullable && target.value === '' ? null : normalise(target.value))}
        // Pasted text often has surrounding spaces.
        onBlur={({ target }) => target.value.trim() !== target.value && field.set(target.value.trim())}
      />
    </Field>
  );
}

type NumberSettingProps = SettingProps &
  Pick<NumberFieldProps, 'min' | 'max' | 'step' | 'placeholder' | 'unit'> & { hintOf?: (value: number) => ReactNode };
export function NumberSetting({ path, hint, hintOf, labelNote, label, ...rest }: NumberSettingProps) {
  const field = useSettingField<number | null>(path);
  const derived = field.value === null ? undefined : hintOf?.(field.value);
  const unit = rest.unit ?? settingsFieldOf(path)?.unit;
  return (
    <Field {...fieldProps(field, { hint: derived ?? hint, labelNote, label })}>
      <NumberField {...rest} unit={unit} value={field.value} onChange={field.set} isReadOnly={field.isLocked} />
    </Field>
  );
}

export function SwitchSetting({
  path,
  words,
  disabledReason,
  ...rest
}: SettingProps & { words?: ReactNode; disabledReason?: string | undefined }) {
  const field = useSettingField<boolean>(path);
  // An option that is on but no longer available can still be switched off.
  const isOff = disabledReason !== undefined && !field.value;
  return (
    <Field {...fieldProps(field, { ...rest, hint: isOff ? disabledReason : rest.hint })}>
      <span className="row">
        <Switch checked={field.value} disabled={field.isLocked || isOff} onChange={({ target }) => field.set(target.checked)} />
        <span>{words ?? (field.value ? 'On' : 'Off')}</span>
      </span>
    </Field>
  );
}

export function SegmentedSetting({ path, hint, label }: SettingProps) {
  const field = useSettingField<string>(path);
  const options = Object.entries(choiceLabels[path] ?? {}).map(([value, word]) => ({ value, label: word }));
  const { id, ...words } = fieldProps(field, { hint, label });
  return (
    <div id={id}>
      <Field {...words} isGroup>
        <Segmented label={words.label} options={options} value={field.value} onChange={field.set} isDisabled={field.isLocked} />
      </Field>
    </div>
  );
}

export function SelectSetting({ path, ...rest }: SettingProps) {
  const field = useSettingField<string>(path);
  const options = Object.entries(choiceLabels[path] ?? {}).map(([value, word]) => ({ value, label: word }));
  return (
    <Field {...fieldProps(field, rest)}>
      <Select options={options} value={field.value} onChange={field.set} isReadOnly={field.isLocked} />
    </Field>
  );
}

export function CardsSetting({ path, options, isRow = false }: { path: string; options: RadioCard<string>[]; isRow?: boolean }) {
  const field = useSettingField<string>(path);
  return (
    <div id={fieldId(path)}>
      <RadioCards
        legend={field.label}
        options={options}
        value={field.value}
        onChange={field.set}
        isRow={isRow}
        isReadOnly={field.isLocked}
        error={field.error}
        was={field.was}
        onPutBack={field.was === undefined ? undefined : field.putBack}
      />
    </div>
  );
}
